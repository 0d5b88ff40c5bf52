-- A dispute is overdue if its deadline has passed while it needs a response. The provider still decides it.
alter table disputes
  -- The deadline that has passed. Null: it is not overdue.
  add column overdue_since_at    timestamptz,
  -- When the dispute becomes overdue. Null: it is overdue, has no deadline, or needs no response.
  add column overdue_at          timestamptz,
  -- Since when the current request to the provider has had no known result.
  add column responding_since_at timestamptz,
  add constraint overdue_needs_a_response check (
    overdue_since_at is null or (status = 'needs_response' and overdue_since_at = respond_by_at)) not valid,
  add constraint becomes_overdue_once check (
    overdue_at is null or (status = 'needs_response' and overdue_since_at is null)) not valid,
  add constraint responds_since_a_time check (responding_since_at is null or respond_at is not null) not valid;

-- The triggers require an event, and the owner of the table cannot read the ledger of a workspace.
alter table disputes no force row level security;
alter table disputes disable trigger user;
update disputes set overdue_at = respond_by_at where status = 'needs_response' and respond_by_at is not null;
update disputes set responding_since_at = updated_at where respond_at is not null;
alter table disputes enable trigger user;
alter table disputes force row level security;

drop trigger disputes_change_is_told on disputes;
create constraint trigger disputes_change_is_told after insert or update on disputes
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'reported_at', 'withdrawal_reported_at', 'response_number', 'response_attempts', 'respond_at',
    'overdue_at', 'responding_since_at');

-- For the work that marks disputes as overdue, and for the metrics of the backlog.
grant select (status, respond_by_at, overdue_since_at, overdue_at, responding_since_at, created_at) on disputes to switchyard_due;
