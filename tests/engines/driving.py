"""Begin a slow run on a Ray that is there already, to be killed. Called by test_ray.py.

driving.py FOLDER TARGET KEY ADDRESS PICKLED_REWRITER
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.engines.conftest import hostile

from textveil.engines import RayEngine
from textveil.jobs import plan

if __name__ == "__main__":
    source, target, key, address = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    rewriter = pickle.loads(Path(sys.argv[5]).read_bytes())  # noqa: S301 - the test's own
    work = hostile(rewriter, target.with_name("slow"), pause=0.2)
    engine = RayEngine(workers=1, address=address)
    plan(source, target, work, column="text", key_file=key, batch_bytes=4096, engine=engine).run()
