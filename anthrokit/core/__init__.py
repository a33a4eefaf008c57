"""What every stage stands on: tables, votes, runs, errors."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "files": ["cache_folder", "public_file"],
        "run": ["PLAIN", "Run", "StoreError", "as_run", "digest", "keep_secret", "redact", "redact_in", "refuse_other_prompts", "strings_in", "versions"],
        "tables": ["TableError", "check", "columns", "data_path", "empty", "meaning", "read_frame", "read_table", "schema", "write_frame"],
    },
)
