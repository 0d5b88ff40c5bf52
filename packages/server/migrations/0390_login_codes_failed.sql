-- Outside a transaction. Finds codes that were entered wrongly, to limit guesses over many addresses.
create index concurrently if not exists login_codes_failed on login_codes (workspace_id, created_at)
  where tries > 0 and verified_at is null;
