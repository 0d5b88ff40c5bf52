-- The texts of evidence may contain personal data. They are sealed with the key of the workspace, and deleted 180 days after
-- the dispute has ended, like its files. `evidence` has the texts that were stored before this migration.
alter table disputes
  add column evidence_sealed    bytea,
  -- Null while the dispute is open, or if it has no evidence.
  add column evidence_delete_at timestamptz,
  add constraint evidence_is_stored_once check (evidence_sealed is null or evidence = '{}') not valid,
  add constraint evidence_of_open_is_kept check (evidence_delete_at is null or ended_at is not null) not valid;
-- The content is encrypted, so it cannot be compressed.
alter table disputes alter column evidence_sealed set storage external;

-- The deletion of evidence emits no event.
drop trigger disputes_change_is_told on disputes;
create constraint trigger disputes_change_is_told after insert or update on disputes
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'reported_at', 'withdrawal_reported_at', 'response_number', 'response_attempts', 'respond_at',
    'responding_since_at', 'evidence', 'evidence_sealed', 'evidence_delete_at');

grant select (evidence_delete_at) on disputes to switchyard_due;
