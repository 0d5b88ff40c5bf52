// Rules for statements that a migration must not contain while old processes use the same database, with
// alternatives. Statements are matched as text, so a rule may be too strict, but not too lax.

import { outsideMarker } from '../../../src/platform/db/outside-migration.ts'

export type MigrationViolation = { readonly statement: string; readonly instead: string }

type Rule = {
  readonly pattern: RegExp
  readonly unless?: RegExp
  /** Holds a lock for a time that grows with the size of the table. */
  readonly slow?: true
  readonly instead: string
}

const dropLater =
  'Older processes still use it. Stop using it in one release, and drop it in the one after that.'
const addNotValid = 'It reads the table under a lock. Add it as not valid, and validate it in the next file.'
const buildConcurrently = `Writes are blocked while it is built. Build it concurrently if not exists, in a file of its own that begins
  with "${outsideMarker}" For a partitioned table, create it on only the table, and then on each partition.`

/** The rules apply to existing tables. A table that the same file creates is empty and not in use yet. */
// biome-ignore format: a table.
const rules: readonly Rule[] = [
  { pattern: /\badd column (?:if not exists )?\S+ [^,]*\bnot null\b/, unless: /\bdefault\b/, instead: 'Older processes write rows without it. Add it with a default, or make it nullable.' },
  { pattern: /\badd column [^,]*\bdefault\b[^,]*\b(?:random|gen_random_uuid|uuidv4|uuidv7|clock_timestamp|nextval)\b/, slow: true, instead: 'A value that differs by row rewrites the table. Add it without a default, and fill it by background work.' },
  { pattern: /\badd column [^,]*\bgenerated always as \(/, unless: /\bvirtual\b/, slow: true, instead: 'A stored column rewrites the table. Write it from the code.' },
  { pattern: /\bdrop column\b/, instead: dropLater },
  { pattern: /^drop (?:table|view|type|schema|function)\b/, instead: dropLater },
  { pattern: /\brename\b/, instead: 'Older processes know the old name. Add the new one, write both, and drop the old one later.' },
  { pattern: /\balter (?:column )?\S+ (?:set data )?type\b/, instead: 'It rewrites the table. Add a column of the new type.' },
  { pattern: /\balter (?:column )?\S+ set not null\b/, slow: true, instead: 'It reads the table under a lock. Add a check that is not valid, and validate it in the next file.' },
  { pattern: /\badd (?:constraint \S+ )?(?:check|foreign key)\b/, unless: /\bnot valid\b/, slow: true, instead: addNotValid },
  { pattern: /\badd (?:constraint \S+ )?(?:unique|primary key|exclude)\b/, unless: /\busing index\b/, slow: true, instead: buildConcurrently },
  { pattern: /^create (?:unique )?index\b/, unless: /\bconcurrently\b|\bon only\b/, slow: true, instead: buildConcurrently },
  { pattern: /^(?:update|delete|insert)\b/, slow: true, instead: 'Existing rows must be changed by work, in small batches, while old and new processes run.' },
  { pattern: /^(?:truncate|lock|cluster|vacuum full)\b/, instead: 'It locks the table until it has finished.' },
]

/** Tables with few rows, on which every statement is fast. */
const smallTables =
  /^(control\..*|workspaces|workspace_keys|api_tokens|provider_accounts|payment_routes|payment_route_\w+|webhook_endpoints|webhook_secrets|products|prices|coupons|promotion_codes|dunning_policies|test_clocks|invoice_series|report_cursors|ledger_cursors)$/

/** All violations of a migration file. */
export function findMigrationViolations(sql: string): MigrationViolation[] {
  const statements = splitStatements(sql)
  const created = new Set(statements.flatMap((text) => creation.exec(text)?.[1] ?? []))
  const statementViolations = statements.flatMap((statement) => {
    const table = tableOf(statement)
    if (table !== null && created.has(table)) return []
    return rules
      .filter(({ pattern, unless }) => pattern.test(statement) && !unless?.test(statement))
      .filter(({ slow }) => !(slow && table !== null && smallTables.test(table)))
      .map(({ instead }) => ({ statement, instead }))
  })
  return [...statementViolations, ...findMisplaced(statements, sql.startsWith(outsideMarker))]
}

const creation = /^create (?:unlogged )?table (?:if not exists )?([^\s(]+)/

/**
 * A statement with `concurrently` cannot run in a transaction. It must be the only statement of a file that
 * is marked to run outside a transaction, and such a file must contain nothing else.
 */
function findMisplaced(statements: readonly string[], isOutsideTransaction: boolean): MigrationViolation[] {
  const concurrent = statements.filter((text) => /\bconcurrently\b/.test(text))
  const isCorrect = isOutsideTransaction
    ? concurrent.length === 1 && statements.length === 1
    : concurrent.length === 0
  if (isCorrect) return []
  const instead = `Put the statement with concurrently into a file of its own that begins with "${outsideMarker}"`
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

/**
 * The statements in lower case, on one line each, without comments. Bodies of functions are removed: they run
 * later.
 */
function splitStatements(sql: string): string[] {
  return sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, '$$$$')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((text) => text.toLowerCase().replaceAll(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
}
