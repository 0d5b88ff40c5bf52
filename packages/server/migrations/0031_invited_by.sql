-- Who invited: with them go the invitations that nobody has accepted yet. Null if it was a token.
alter table control.invitations add column invited_by uuid references control.people;
create index invitations_pending_by on control.invitations (invited_by) where status = 'pending';

-- Until when a passkey may be added for the challenge: whoever asked for it has proven who they are just before.
-- A challenge without it was kept by a version that did not ask, and is none.
alter table control.sessions add column challenge_until timestamptz;
