-- Calls that were refused for one reason.
select index_parts('request_log', 'by_code', '(workspace_id, error_code, id) where error_code is not null');
