// `npm run growth`: does the cost of an operation grow with what is stored? Counts pages in a small database
// and in large ones. `--rows 200000` for a quick look; by default five million. `--only payments` for a part.

import { parseArgs } from 'node:util'
import { startSimulator } from '../packages/simulator/src/index.ts'
import { quietSettings } from './counters/count-all.ts'
import { isBroken, judge } from './growth/law.ts'
import { observe, type Pages } from './growth/observe.ts'
import {
  addCustomers,
  addHistory,
  addOpenPayments,
  addPayments,
  addToOpen,
  addWorkspaces,
  copyOf,
  drop,
  makeSmall,
  type State,
  sizeOf,
} from './growth/states.ts'
import { table } from './table.ts'
import { throwawayPostgres } from './throwaway.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '5000000' }, only: { type: 'string', default: 'all' } },
})
const rows = Number(values.rows)
const startedMs = performance.now()

/** Filling is most of the time, and what it writes is thrown away. */
const fillingSettings = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  maintenance_work_mem: '512MB',
  shared_buffers: '1GB',
  synchronous_commit: 'off',
}

const postgres = await throwawayPostgres({ ...quietSettings, ...fillingSettings })
const simulator = await startSimulator()
try {
  const origin = await makeSmall(postgres.url, simulator.url)
  const state = async (name: string, grow: (state: State) => Promise<void>): Promise<Pages> => {
    const copy = await copyOf(origin, name)
    await grow(copy)
    const filled = `filled after ${seconds()} s`
    const pages = await observe(copy)
    console.log(`${name} (${await sizeOf(copy)}): ${filled}, observed after ${seconds()} s`)
    await drop(copy)
    return pages
  }
  const small = await state('small', async () => {})
  const beside = (name: string, grow: (state: State) => Promise<void>) =>
    values.only === 'payments' ? small : state(name, grow)
  const observed = {
    small,
    workspaces: await beside('workspaces', addWorkspaces),
    history: await beside('history', (copy) => addHistory(copy, rows)),
    open: await beside('open', (copy) => addToOpen(copy, rows / 10)),
    fullOpen: await beside('full_open', (copy) => addToOpen(copy, (rows * 4) / 5)),
    customers: await beside('customers', (copy) => addCustomers(copy, rows)),
    payments: await state('payments', (copy) => addPayments(copy, rows)),
    openPayments: await state('open_payments', (copy) => addOpenPayments(copy, rows / 10)),
  }
  const findings = judge(observed).filter(({ part }) => values.only === 'all' || part.includes(values.only))
  const lines = findings.map((finding) => {
    const { part, operation, before, after, allowed } = finding
    return [part, operation, before, after, Math.round(allowed * 10) / 10, isBroken(finding) ? 'broken' : '']
  })
  console.log(`\n${table(['grown', 'operation', 'pages', 'then', 'allowed', ''], lines)}\n`)
  console.log(`${rows} rows, ${seconds()} s.`)
  process.exitCode = findings.some(isBroken) ? 1 : 0
} finally {
  await simulator.stop()
  await postgres.remove()
}

function seconds(): number {
  return Math.round((performance.now() - startedMs) / 1000)
}
