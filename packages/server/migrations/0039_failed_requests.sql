-- Most calls succeed. Those that did not are what is looked for, and 4xx and 5xx are ranges among them.
select index_parts('request_log', 'failed', '(workspace_id, id) where status >= 400');
