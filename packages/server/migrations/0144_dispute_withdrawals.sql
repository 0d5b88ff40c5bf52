-- Some reports about a dispute do not state whether the amount is withdrawn. This is the provider's time of the newest one
-- that does, so that a report which arrives late can still state it.
alter table disputes add column withdrawal_reported_at timestamptz;

drop trigger disputes_change_is_told on disputes;
create constraint trigger disputes_change_is_told after insert or update on disputes
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'reported_at', 'withdrawal_reported_at', 'response_number', 'response_attempts', 'respond_at');
