-- Destinations of daily exports: buckets of S3-compatible storage. Each day, the objects that changed on the day before are
-- exported and uploaded, once per destination, source and day.

create table export_destinations (
  workspace_id      uuid not null,
  id                uuid not null,
  name              text,
  endpoint_url      text not null,
  region            text not null,
  bucket            text not null,
  prefix            text,
  access_key_id     text not null,
  -- Sealed. Deleted together with the destination.
  secret_access_key bytea,
  sources           text[] not null check (cardinality(sources) > 0),
  format            text not null check (format in ('csv', 'parquet')),
  -- The next day to export, in UTC.
  next_day_on       text not null check (next_day_on ~ '^\d{4}-\d{2}-\d{2}$'),
  due_at            timestamptz,
  -- The attempts that failed since the last success, and why the last one did.
  failures          int not null default 0 check (failures >= 0),
  failing_since_at  timestamptz,
  error             json,
  last_success_at   timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  deleted_at        timestamptz,
  version           int not null default 1,
  sequence          int not null default 1,
  primary key (workspace_id, id),
  constraint failing_says_why check ((failures > 0) = (error is not null) and (failures > 0) = (failing_since_at is not null)),
  constraint deleted_has_no_secret check ((deleted_at is not null) = (secret_access_key is null)),
  constraint deleted_is_not_due check (deleted_at is null or due_at is null)
);
create index export_destinations_due on export_destinations (due_at) where due_at is not null;

create constraint trigger export_destinations_start_is_told after insert on export_destinations
  deferrable initially deferred for each row execute function change_is_told();
-- The schedule and single failures emit no events.
create constraint trigger export_destinations_change_is_told after update on export_destinations
  deferrable initially deferred for each row
  when (new.sequence is distinct from old.sequence
    or (new.name, new.endpoint_url, new.region, new.bucket, new.prefix, new.access_key_id, new.secret_access_key, new.sources,
      new.format, new.deleted_at)
    is distinct from (old.name, old.endpoint_url, old.region, old.bucket, old.prefix, old.access_key_id,
      old.secret_access_key, old.sources, old.format, old.deleted_at))
  execute function change_is_told();

alter table export_destinations enable row level security;
alter table export_destinations force row level security;
create policy own_workspace on export_destinations to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
create policy due_anywhere on export_destinations for select to switchyard_due using (true);
grant select, insert, update on export_destinations to switchyard_app;
grant select (workspace_id, id, due_at) on export_destinations to switchyard_due;

-- A daily export has a destination. Its file is uploaded from the parts, which are deleted afterwards.
alter table exports
  add column destination_id uuid,
  -- The folder of its files in the bucket.
  add column upload_path text,
  -- The end of the lease of the worker that uploads, or the time of the next attempt.
  add column upload_at timestamptz,
  add column upload_attempts int not null default 0,
  add column upload_error json,
  -- The multipart upload that is not completed, so that it can be aborted after a crash.
  add column upload_id text,
  add constraint destination_exists foreign key (workspace_id, destination_id) references export_destinations not valid,
  add constraint attempts_are_counted check (upload_attempts >= 0) not valid,
  add constraint daily_has_a_path check ((destination_id is null) = (upload_path is null)) not valid,
  add constraint daily_is_one_day check (destination_id is null or from_on = to_on) not valid,
  drop constraint exports_status_check,
  add constraint known_status check (status in ('running', 'uploading', 'completed', 'failed', 'cancelled')) not valid,
  drop constraint runs_or_is_over,
  add constraint runs_uploads_or_is_over check ((status = 'running') = (due_at is not null)
    and (status = 'uploading') = (upload_at is not null)
    and (status in ('running', 'uploading')) = (completed_at is null)) not valid,
  drop constraint completed_has_a_hash,
  add constraint written_has_a_hash check ((status in ('uploading', 'completed')) = (sha256 is not null)
    and (status = 'completed') = (expires_at is not null)) not valid,
  add constraint uploads_to_a_destination check (status <> 'uploading' or destination_id is not null) not valid;
grant select (upload_at) on exports to switchyard_due;
