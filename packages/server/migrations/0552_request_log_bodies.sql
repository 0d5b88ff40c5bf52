-- Both bodies of a request, compressed: see domains/access/request-log/bodies.ts. Lines of earlier versions keep theirs in
-- request_body and response_body, which are dropped in a later release, when the last such line has expired.
alter table request_log add column bodies bytea, alter column bodies set storage external;
