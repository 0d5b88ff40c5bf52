// `npm run growth`: checks that the cost of operations does not grow with the size of the database. Counts pages in a
// small database and in large ones. `--rows 200000` for a short run (default: five million), `--only payments` for a part.

import { parseArgs } from 'node:util'
import { startSimulator } from '../packages/simulator/src/index.ts'
import { quietSettings } from './counters/count-all.ts'
import { checkGrowth, exceedsLimit } from './growth/check-growth.ts'
import { measurePages, type Pages } from './growth/measure-pages.ts'
import {
  addCustomers,
  addHistory,
  addPayments,
  addPaymentsToOpenPartition,
  addToOpen,
  addWorkspaces,
  copyDatabase,
  createSmallDatabase,
  dropDatabase,
  type GrownDatabase,
  sizeOf,
} from './growth/states.ts'
import { table } from './table.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '5000000' }, only: { type: 'string', default: 'all' } },
})
const rows = Number(values.rows)
const startedMs = performance.now()

/** Faster settings: filling takes most of the time, and the data is discarded. */
const fillingSettings = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  maintenance_work_mem: '512MB',
  shared_buffers: '1GB',
  synchronous_commit: 'off',
}

const postgres = await startTemporaryPostgres({ ...quietSettings, ...fillingSettings })
const simulator = await startSimulator()
try {
  const smallDatabase = await createSmallDatabase(postgres.url, simulator.url)
  const growAndMeasure = async (
    name: string,
    grow: (database: GrownDatabase) => Promise<void>,
  ): Promise<Pages> => {
    const database = await copyDatabase(smallDatabase, name)
    await grow(database)
    const filled = `filled after ${seconds()} s`
    const pages = await measurePages(database)
    console.log(`${name} (${await sizeOf(database)}): ${filled}, measured after ${seconds()} s`)
    await dropDatabase(database)
    return pages
  }
  const small = await growAndMeasure('small', async () => {})
  const unlessOnlyPayments = (name: string, grow: (database: GrownDatabase) => Promise<void>) =>
    values.only === 'payments' ? small : growAndMeasure(name, grow)
  const measurements = {
    small,
    workspaces: await unlessOnlyPayments('workspaces', addWorkspaces),
    history: await unlessOnlyPayments('history', (database) => addHistory(database, rows)),
    open: await unlessOnlyPayments('open', (database) => addToOpen(database, rows / 10)),
    fullOpen: await unlessOnlyPayments('full_open', (database) => addToOpen(database, (rows * 4) / 5)),
    customers: await unlessOnlyPayments('customers', (database) => addCustomers(database, rows)),
    payments: await growAndMeasure('payments', (database) => addPayments(database, rows)),
    openPayments: await growAndMeasure('open_payments', (database) =>
      addPaymentsToOpenPartition(database, rows / 10),
    ),
  }
  const findings = checkGrowth(measurements).filter(
    ({ part }) => values.only === 'all' || part.includes(values.only),
  )
  const rowsOfTable = findings.map((finding) => {
    const { part, operation, before, after, allowed } = finding
    return [
      part,
      operation,
      before,
      after,
      Math.round(allowed * 10) / 10,
      exceedsLimit(finding) ? 'exceeded' : '',
    ]
  })
  console.log(
    `\n${table(['growth', 'operation', 'pages before', 'pages after', 'allowed', ''], rowsOfTable)}\n`,
  )
  console.log(`${rows} rows, ${seconds()} s.`)
  process.exitCode = findings.some(exceedsLimit) ? 1 : 0
} finally {
  await simulator.stop()
  await postgres.remove()
}

function seconds(): number {
  return Math.round((performance.now() - startedMs) / 1000)
}
