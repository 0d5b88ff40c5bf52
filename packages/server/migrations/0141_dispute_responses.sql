-- Responses to disputes: the evidence of the merchant, and the request that sends it, or accepts the dispute.
alter table disputes
  add column evidence            jsonb not null default '{}',
  -- The reference of the current request to the provider ends with this number.
  add column response_number     int not null default 0 check (response_number >= 0),
  -- How often the current request was sent, or was about to be.
  add column response_attempts   int not null default 0 check (response_attempts >= 0),
  add column response_error_code text,
  add column response_error      text,
  -- When the request is sent again, unless its result is known by then. In the first seconds it is a lease.
  add column respond_at          timestamptz,
  drop constraint disputes_status_check,
  add constraint disputes_status_check check (status in
    ('needs_response', 'submitting', 'accepting', 'under_review', 'won', 'lost', 'closed')) not valid,
  add constraint a_response_is_sent check (
    (status in ('submitting', 'accepting')) = (respond_at is not null)) not valid,
  -- The cardholder's bank claims nothing in an inquiry, so there is nothing to accept.
  add constraint an_inquiry_is_not_accepted check (status <> 'accepting' or stage <> 'inquiry') not valid,
  add constraint an_error_has_a_code check ((response_error_code is null) = (response_error is null)) not valid;

drop trigger disputes_change_is_told on disputes;
create constraint trigger disputes_change_is_told after insert or update on disputes
  deferrable initially deferred for each row execute function change_is_told_but_for(
    'version', 'updated_at', 'reported_at', 'response_number', 'response_attempts', 'respond_at');

create policy due_anywhere on disputes for select to switchyard_due using (true);
grant select (workspace_id, id, respond_at) on disputes to switchyard_due;
