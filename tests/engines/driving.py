"""Begin a slow run on a Ray that is there already, to be killed. Called by test_ray.py.

driving.py FOLDER TARGET KEY ADDRESS
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.conftest import clustered_vocabulary
from tests.engines.conftest import hostile

import textveil as tv
from textveil.engines import RayEngine
from textveil.jobs import plan

if __name__ == "__main__":
    source, target, key, address = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    vocabulary = clustered_vocabulary(600, 12, clusters=30)
    rewriter = tv.TextRewriter(tv.Exponential(vocabulary, epsilon=2.0, radius=3.0))
    work = hostile(rewriter, target.with_name("slow"), pause=0.2)
    engine = RayEngine(workers=1, address=address)
    plan(source, target, work, column="text", key_file=key, batch_bytes=4096, engine=engine).run()
