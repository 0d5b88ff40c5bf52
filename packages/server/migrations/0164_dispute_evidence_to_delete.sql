-- Outside a transaction. The disputes whose evidence is deleted at a time.
create index concurrently if not exists disputes_evidence_to_delete on disputes (evidence_delete_at)
  where evidence_delete_at is not null;
