// Every filter of the request log and the audit log uses its index. The test runs EXPLAIN on the real
// statements with the role that serves requests, because row-level security can prevent the use of an index:
// PostgreSQL evaluates a condition before the policy only if the condition is leakproof, and only the plan
// shows that.

import { type KyselyPlugin, RawNode, type RootOperationNode } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listEntries } from '../../src/domains/access/audit/store.ts'
import { listRequests } from '../../src/domains/access/request-log/store.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { read, type View } from '../../src/platform/db/unit-of-work.ts'
import { asOwner } from '../support/owner.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const { workspaceId } = await switchyard.newWorkspace()
const id = workspaceId as Id<'workspace'>

/** Enough rows that the planner prefers an index: a filter selects one row in two hundred. */
const insertRows = `
  insert into request_log (workspace_id, id, method, path, operation, status, error_code, api_version, replayed, duration_ms)
    select $1::uuid, uuidv7(), 'GET', '/', 'some.' || n % 200, case when n % 200 = 0 then 404 when n % 200 = 1 then 500 else 200 end,
      case when n % 40 = 0 then 'code_' || n % 200 end, '1', false, 1 from generate_series(1, 6000) as n;
  insert into audit_entries (workspace_id, number, id, entry, hash)
    select $1::uuid, 1000000 + n, uuidv7(), json_build_object('act', n % 200, 'object_id', n % 201, 'person_id', n % 202,
      'api_token_id', n % 203), sha256('') from generate_series(1, 6000) as n`

beforeAll(() =>
  asOwner(switchyard.databaseUrl, async (client) => {
    for (const statement of insertRows.split(';')) await client.query(statement, [uuidOf(id)])
    await client.query('analyze request_log, audit_entries')
  }),
)

/** Runs a list with EXPLAIN, and returns the plan of its statement instead of its rows. */
async function explainList(list: (view: View) => Promise<unknown>): Promise<string> {
  const lines: unknown[] = []
  const explainPlugin: KyselyPlugin = {
    transformQuery: ({ node }) => addExplain(node),
    async transformResult({ result }) {
      lines.push(...result.rows.map((row) => row['QUERY PLAN']))
      return { ...result, rows: [] }
    },
  }
  await read(switchyard.deps, systemCaller({ workspaceId: id, id }), (view) =>
    list({ ...view, db: view.db.withPlugin(explainPlugin) }),
  )
  return lines.join('\n')
}

function addExplain(node: RootOperationNode): RootOperationNode {
  if (!RawNode.is(node)) throw new Error(`Expected a raw statement, but got a ${node.kind}.`)
  const [first, ...rest] = node.sqlFragments
  return RawNode.create([`explain ${first}`, ...rest], node.parameters)
}

const range = {
  limit: 20,
  direction: 'older' as const,
  atLeast: null,
  below: null,
  after: null,
  before: null,
}
const anyRequest = { statusClass: undefined, errorCode: undefined }
const anyEntry = { act: undefined, object_id: undefined, person_id: undefined, api_token_id: undefined }

// biome-ignore format: a table.
test.each<[string, string, (view: View) => Promise<unknown>]>([
  ['requests by 4xx',             'request_log_failed',       (view) => listRequests(view, range, { ...anyRequest, statusClass: '4xx' })],
  ['requests by 5xx',             'request_log_failed',       (view) => listRequests(view, range, { ...anyRequest, statusClass: '5xx' })],
  ['requests by error code',      'request_log_by_code',      (view) => listRequests(view, range, { ...anyRequest, errorCode: 'code_40' })],
  ['audit entries by action',     'audit_entries_by_act',     (view) => listEntries(view, range, { ...anyEntry, act: '7' })],
  ['audit entries of an object',  'audit_entries_of_object',  (view) => listEntries(view, range, { ...anyEntry, object_id: '7' })],
  ['audit entries of a person',   'audit_entries_of_person',  (view) => listEntries(view, range, { ...anyEntry, person_id: '7' })],
  ['audit entries of a token',    'audit_entries_of_token',   (view) => listEntries(view, range, { ...anyEntry, api_token_id: '7' })],
])('%s are read in order from the index %s', async (_, index, list) => {
  const plan = await explainList(list)

  expect(await findIndexes(plan), plan).toEqual([index])
  expect(plan).not.toMatch(/Seq Scan|-> +(?:Incremental )?Sort/)
  // Row-level security was applied.
  expect(plan).toContain('app.workspace')
})

/** The indexes in the plan, by their names on the parent table. */
async function findIndexes(plan: string): Promise<string[]> {
  const used = Array.from(plan.matchAll(/Index[\w ]* Scan[\w ]*? (?:using|on) (\w+) /g), ([, name]) => name)
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `select distinct coalesce(inhparent, pg_class.oid)::regclass::text as name
       from pg_class left join pg_inherits on inhrelid = pg_class.oid where relname = any($1)`,
      [used],
    ),
  )
  return rows.map(({ name }) => name)
}
