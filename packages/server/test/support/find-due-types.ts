// Finds which work types are due with one statement for all of them. Most work types are not due, and a statement for each
// would take most of the time of a test.

import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { assert } from '../../src/kernel/assert.ts'
import type { Reading } from '../../src/kernel/clock.ts'
import type { Db } from '../../src/platform/db/databases.ts'
import type { WorkType } from '../../src/platform/engine/work.ts'

/** The indexes of the work types that may be due. Those whose `due` executes no statement are always included. */
export async function findDueTypes<Deps>(
  db: Db,
  workTypes: readonly WorkType<Deps>[],
  now: Reading,
): Promise<ReadonlySet<number>> {
  const { text, parameters } = await statementFor(workTypes, now)
  const values = parameters.map((value) => (value === timeOfRecording && 'at' in now ? now.at : value))
  const { rows } = await db.executeQuery<{ readonly index: number }>(CompiledQuery.raw(text, values))
  return new Set(rows.map(({ index }) => index))
}

/** Stands for the current time in the parameters of recorded statements. */
const timeOfRecording = new Date(0)

type Statement = { readonly text: string; readonly parameters: readonly unknown[] }

/** The recorded statements, by list of work types and kind of clock. */
const statements = new WeakMap<object, Map<Reading['from'], Promise<Statement>>>()

function statementFor<Deps>(workTypes: readonly WorkType<Deps>[], now: Reading): Promise<Statement> {
  const ofTypes = statements.get(workTypes) ?? new Map<Reading['from'], Promise<Statement>>()
  statements.set(workTypes, ofTypes)
  const statement = ofTypes.get(now.from) ?? joinStatements(workTypes, now)
  ofTypes.set(now.from, statement)
  return statement
}

async function joinStatements<Deps>(workTypes: readonly WorkType<Deps>[], now: Reading): Promise<Statement> {
  const at = 'at' in now ? { ...now, at: timeOfRecording } : now
  const parameters: unknown[] = []
  const selects: string[] = []
  for (const [index, work] of workTypes.entries()) {
    const recorded = await recordStatements(work, at)
    const conditions = recorded.map((query) => existsIn(query, parameters))
    selects.push(`select ${index} as index where ${conditions.join(' or ') || 'true'}`)
  }
  const hasOtherTimes = parameters.some((value) => value instanceof Date && value !== timeOfRecording)
  assert(!hasOtherTimes, '`due` must pass the current time to its statement and calculate with it there.')
  return { text: selects.join('\nunion all '), parameters }
}

/** The statement as a condition. Its parameters are appended to `parameters`. */
function existsIn(query: CompiledQuery, parameters: unknown[]): string {
  const preceding = parameters.length
  parameters.push(...query.parameters)
  return `exists (${query.sql.replaceAll(/\$(\d+)/g, (_, number) => `$${preceding + Number(number)}`)})`
}

/** The statements that `due` executes if none of them finds a row. */
async function recordStatements<Deps>(work: WorkType<Deps>, now: Reading): Promise<readonly CompiledQuery[]> {
  const recorded: CompiledQuery[] = []
  await work.due(recordingDb(recorded), now, 1)
  return recorded
}

/** Records statements instead of executing them. They seem to find no rows. */
function recordingDb(recorded: CompiledQuery[]): Db {
  const connection: DatabaseConnection = {
    executeQuery: async (query) => {
      recorded.push(query)
      return { rows: [] }
    },
    streamQuery: () => {
      throw new Error('`due` must not stream its result.')
    },
  }
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOf(connection),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

function driverOf(connection: DatabaseConnection): Driver {
  const nothing = async () => {}
  return {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  }
}
