-- Who created an API token: the person who was signed in, or who created the token that was used. When that person is
-- deactivated or is no longer ADMIN, the token is revoked. Null for tokens from before, and for those of setup.
alter table api_tokens add column created_by uuid;
alter table control.api_token_secrets add column created_by uuid references control.people;
create index api_token_secrets_of_creator on control.api_token_secrets (created_by) where created_by is not null;
