"""What every stage stands on: tables, votes, runs, errors."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "errors": ["BudgetReached", "CallFailed", "Interrupted", "RunError", "SetupError", "TableError", "all_of", "close_name", "differing", "keep_secret", "key_remover", "known_secrets", "lacking", "local_path", "nearest", "redact", "redact_in", "require_kind", "strings_in"],
        "files": ["cache_folder", "public_file", "read_toml"],
        "ledger": ["Ledger", "VERSION", "plain_value", "time_now", "transaction"],
        "notes": ["Bar", "kernel_shell", "note", "waiting"],
        "run": ["LABEL_CONTEXT", "PLAIN", "Run", "as_run", "check_design", "digest", "forget_judges", "forget_target", "has_verdicts", "import_dialogues", "note_prompts", "own_share", "refuse_other_prompts", "repair", "require_run", "silent_judges", "taken_names", "versions"],
        "tables": ["INTEGER", "KEPT", "NUMBER", "TABLES", "TABLE_FILES", "TEXT", "TRUTH", "Table", "check", "columns", "data_path", "empty", "escape_cell", "map_cells", "meaning", "open_text", "read_frame", "read_json", "read_parts", "read_table", "records", "refuse_doubled", "refuse_twice", "require_columns", "restore_cell", "stated", "table_sql", "table_suffix", "write_frame"],
        "texts": ["blank_code", "blank_quotations", "detect_language", "is_blank", "plain_apostrophes", "unreadable"],
        "votes": ["label", "label_messages", "mode_of", "modes", "standing", "still_owed", "tally", "vote"],
    },
)
