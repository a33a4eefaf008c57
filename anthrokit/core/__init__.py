"""What every stage stands on: tables, votes, runs, errors."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "errors": ["BudgetReached", "CallFailed", "Interrupted", "RunError", "SetupError", "TableError", "close_name", "diff_settings", "known_secrets", "make_redactor", "missing_columns", "printable", "redact", "redact_in", "register_secret", "require_all", "require_kind", "strings_in", "suggest_name"],
        "files": ["cache_folder", "load_once", "local_path", "public_file", "read_toml", "refuse_links", "replacing", "write_file"],
        "ledger": ["Ledger", "VERSION", "check_schema", "plain_value", "time_now", "transaction"],
        "notes": ["ProgressBar", "kernel_shell", "notify", "status_line"],
        "run": ["HTML_ATTRS", "LABEL_CONTEXT", "Run", "as_run", "check_design", "digest", "forget_judges", "forget_target", "has_verdicts", "ids_in_part", "import_dialogues", "judges_without_verdicts", "package_versions", "record_prompts", "repair", "require_run", "require_same_prompts", "reserved_names"],
        "tables": ["BOOLEAN", "INTEGER", "LEDGER_TABLES", "NUMBER", "TABLES", "TABLE_FILES", "TEXT", "Table", "check_table", "data_path", "describe_column", "empty_table", "escape_cell", "get_table", "list_columns", "map_cells", "open_text", "read_frame", "read_json", "read_parts", "read_table", "require_columns", "require_unique", "require_unique_names", "restore_cell", "table_sql", "table_suffix", "to_records", "write_frame"],
        "texts": ["detect_language", "is_blank", "mask_code", "mask_quotations", "plain_apostrophes", "unreadable"],
        "votes": ["count_votes", "label", "label_criteria", "label_messages", "latest_annotations", "mode_status", "modes", "pending_ratings"],
    },
)
