-- A dispute is overdue if its deadline has passed while it needs a response. The provider still decides it.
alter table disputes
  -- The deadline that has passed. It counts only while the dispute needs a response.
  add column overdue_since_at    timestamptz,
  -- Since when the current request to the provider has had no known result.
  add column responding_since_at timestamptz;

drop trigger disputes_change_is_told on disputes;
create constraint trigger disputes_change_is_told after insert or update on disputes
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'reported_at', 'withdrawal_reported_at', 'response_number', 'response_attempts', 'respond_at',
    'responding_since_at');

-- For the work that marks disputes as overdue, and for the metrics of the backlog.
grant select (status, respond_by_at, overdue_since_at, responding_since_at, created_at) on disputes to switchyard_due;
