// What a migration may not do while older processes still run on the same database, and what to do instead. It reads
// statements as text, so it knows what is written and not what it means: a rule is rather too strict than too lax.

import { outsideMark } from '../../../src/platform/db/outside-migration.ts'

export type Fault = { readonly statement: string; readonly instead: string }

type Rule = {
  readonly says: RegExp
  readonly unless?: RegExp
  /** It takes as long as the table is big, under a lock. */
  readonly slow?: true
  readonly instead: string
}

const contract =
  'Older processes still use it. Stop using it in one release, and drop it in the one after that.'
const validated = 'It reads the table under a lock. Add it as not valid, and validate it in the next file.'
const built = `Nobody can write while it is built. Build it concurrently if not exists, in a file of its own that begins
  with "${outsideMark}" A partitioned table takes it on only itself; its partitions get theirs one by one.`

/** Of tables that are there before: what a file creates is empty, and nobody knows of it yet. */
// biome-ignore format: a table.
const rules: readonly Rule[] = [
  { says: /\badd column (?:if not exists )?\S+ [^,]*\bnot null\b/, unless: /\bdefault\b/, instead: 'Older processes write rows without it. Add it with a default, or let it be null.' },
  { says: /\badd column [^,]*\bdefault\b[^,]*\b(?:random|gen_random_uuid|uuidv4|uuidv7|clock_timestamp|nextval)\b/, slow: true, instead: 'A value that differs by row rewrites the table. Add it without a default, and fill it in by work.' },
  { says: /\badd column [^,]*\bgenerated always as \(/, unless: /\bvirtual\b/, slow: true, instead: 'A stored column rewrites the table. Write it from the code.' },
  { says: /\bdrop column\b/, instead: contract },
  { says: /^drop (?:table|view|type|schema|function)\b/, instead: contract },
  { says: /\brename\b/, instead: 'Older processes know the old name. Add the new one beside it, write both, and drop the old one later.' },
  { says: /\balter (?:column )?\S+ (?:set data )?type\b/, instead: 'It rewrites the table. Add a column of the new type beside it.' },
  { says: /\balter (?:column )?\S+ set not null\b/, slow: true, instead: 'It reads the table under a lock. Add a check that is not valid, and validate it in the next file.' },
  { says: /\badd (?:constraint \S+ )?(?:check|foreign key)\b/, unless: /\bnot valid\b/, slow: true, instead: validated },
  { says: /\badd (?:constraint \S+ )?(?:unique|primary key|exclude)\b/, unless: /\busing index\b/, slow: true, instead: built },
  { says: /^create (?:unique )?index\b/, unless: /\bconcurrently\b|\bon only\b/, slow: true, instead: built },
  { says: /^(?:update|delete|insert)\b/, slow: true, instead: 'Rows that are there are changed by work, in small portions, while old and new processes run.' },
  { says: /^(?:truncate|lock|cluster|vacuum full)\b/, instead: 'It locks the table for as long as it takes.' },
]

/** A few rows in each workspace, or in all of it: whatever is done to them is done at once. */
const small =
  /^(control\..*|workspaces|workspace_keys|api_tokens|provider_accounts|payment_routes|payment_route_\w+|webhook_endpoints|webhook_secrets|products|prices|dunning_policies|test_clocks|invoice_series|report_cursors)$/

/** Everything in the file that would hurt. Pure. */
export function faultsOfMigration(sql: string): Fault[] {
  const statements = statementsIn(sql)
  const created = new Set(statements.flatMap((text) => creation.exec(text)?.[1] ?? []))
  const ofRows = statements.flatMap((statement) => {
    const table = tableOf(statement)
    if (table !== null && created.has(table)) return []
    return rules
      .filter(({ says, unless }) => says.test(statement) && !unless?.test(statement))
      .filter(({ slow }) => !(slow && table !== null && small.test(table)))
      .map(({ instead }) => ({ statement, instead }))
  })
  return [...ofRows, ...misplaced(statements, sql.startsWith(outsideMark))]
}

const creation = /^create (?:unlogged )?table (?:if not exists )?([^\s(]+)/

/** A file outside of transactions is one statement that needs that, and such a statement needs such a file. */
function misplaced(statements: readonly string[], isOutside: boolean): Fault[] {
  const concurrent = statements.filter((text) => /\bconcurrently\b/.test(text))
  const isRight = isOutside ? concurrent.length === 1 && statements.length === 1 : concurrent.length === 0
  if (isRight) return []
  const instead = `One statement with concurrently is a file of its own that begins with "${outsideMark}"`
  return [{ statement: concurrent[0] ?? statements[0] ?? '', instead }]
}

function tableOf(statement: string): string | null {
  const [, table] =
    creation.exec(statement) ??
    /^alter table (?:if exists )?(?:only )?(\S+)/.exec(statement) ??
    /^create (?:unique )?index (?:.*? )?on (?:only )?([^\s(]+)/.exec(statement) ??
    /^(?:update|delete from|insert into|truncate) (\S+)/.exec(statement) ??
    []
  return table ?? null
}

/** In small letters, on one line each, without comments. Bodies of functions are not looked into: they run later. */
function statementsIn(sql: string): string[] {
  return sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, '$$$$')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((text) => text.toLowerCase().replaceAll(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
}
