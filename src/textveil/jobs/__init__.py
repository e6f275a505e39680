"""Jobs: a run over files is planned, previewed, keyed, carried out, committed, receipted, and resumed if it stops."""

from textveil.files.vector_output import VectorOutput
from textveil.jobs.planning import Job, plan
from textveil.jobs.previewing import Preview
from textveil.jobs.receipt import FileReceipt
from textveil.jobs.spending import Spending
from textveil.jobs.stopping import RunBusyError, RunInterrupted, RunStoppedError
from textveil.jobs.verifying import Finding, Verification, verify
from textveil.jobs.work import BatchWork, Embedding, Releasing, Rewriting

__all__ = [
    "BatchWork",
    "Embedding",
    "FileReceipt",
    "Finding",
    "Job",
    "Preview",
    "Releasing",
    "Rewriting",
    "RunBusyError",
    "RunInterrupted",
    "RunStoppedError",
    "Spending",
    "VectorOutput",
    "Verification",
    "plan",
    "verify",
]
