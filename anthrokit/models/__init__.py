"""Every model behind one call: limits, retries, budgets, batches."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "answers": ["Completion"],
        "batches": ["Batch", "BatchLedger", "BatchQueue", "Provider", "read_result", "request_line", "under_way"],
        "checkup": ["doctor"],
        "embedded": ["DEFAULT_MODEL", "NOTICE", "Request", "answer_here", "engine", "fetch_model", "generate", "load", "log_probability", "needs", "quiet_transformers"],
        "executors": ["Outcome", "RayExecutor", "Spread", "compute", "work_off"],
        "faults": [],
        "limits": ["Budget"],
        "llm": ["LLM"],
        "loop": ["await_for", "wait_for"],
        "meter": ["Meter"],
        "transports": ["LEAN", "Shared", "Wire", "unshared"],
    },
)
