// npm run drill:move -- [--payments 100000] [--rate 20] [--subscriptions 5] [--seconds 10] [--together]
// [--kill mover,source,target,control] [--steps all]: moves a workspace between two data shards under load, and back. With
// --kill, the mover is killed at each step, alone or together with a database, and the move continues afterwards.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import {
  checkMove,
  crashPoints,
  fillWorkspace,
  killAt,
  machineLoad,
  moveTo,
  type Phase,
  pauseOf,
  phasesOf,
  repeatUntilDone,
  startMoveLoad,
  type Victim,
  victims,
} from './move-drill.ts'
import { type CommandResult, startMoveInstallation } from './move-installation.ts'

const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '20' },
    subscriptions: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    together: { type: 'boolean', default: false },
    kill: { type: 'string', default: '' },
    steps: { type: 'string', default: 'all' },
  },
})

const isVictim = (name: string): name is Victim => Object.hasOwn(victims, name)
const killed = values.kill === '' ? [] : values.kill.split(',')
for (const name of killed)
  if (!isVictim(name)) exitWith(`Unknown victim "${name}". Victims: ${Object.keys(victims).join(', ')}.`)
const allSteps: readonly string[] = [...crashPoints.beforeFlip, ...crashPoints.afterFlip]
const steps = values.steps === 'all' ? allSteps : values.steps.split(',')
for (const step of steps)
  if (!allSteps.includes(step)) exitWith(`Unknown step "${step}". Steps: ${allSteps.join(', ')}.`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const payments = Number(values.payments)
const shards = await startMoveInstallation({
  servers: values.together ? 'together' : 'apart',
  settings: { max_wal_size: '4GB', shared_buffers: '256MB' },
})
const { run, moving } = shards
if (payments > 0) await fillWorkspace(shards, payments)
const load = await startMoveLoad(shards, {
  perSecond: Number(values.rate),
  subscriptions: Number(values.subscriptions),
})
const others = phasesOf(load.other)
const own = phasesOf(load.moving)
const phases: (readonly [string, Phase, Phase, number | string, number])[] = []

async function measure(name: string, body: () => Promise<CommandResult | undefined>): Promise<void> {
  own()
  others()
  const startedMs = performance.now()
  const result = await body()
  await sleep(Number(values.seconds) * 1000)
  const pause = result === undefined ? '' : (pauseOf(result.out) ?? '')
  phases.push([
    `${name}, ${Math.round((performance.now() - startedMs) / 1000)} s`,
    own(),
    others(),
    pause,
    machineLoad(),
  ])
  if (result !== undefined) console.log(`${name}:\n${result.out}`)
  if (result !== undefined && result.ending !== 0) exitWith(`${name} ended with ${result.ending}.`)
}

await measure('before', async () => undefined)
await measure('forth', () => moveTo(shards, 'b'))
await measure('back', () => moveTo(shards, 'a'))
await measure('clean-up', () => run(['cells', 'clean-up', moving.id, '--now']))
const kills: (string | number)[][] = []
for (const victim of killed.filter(isVictim))
  for (const step of steps) kills.push(await killAndRecover(victim, step))
const report = await checkMove(shards, load, { on: 'a', isFilled: payments > 0 })
await shards.stop()

console.log(
  table(
    [
      'phase',
      'calls',
      'p99 ms',
      'slowest ms',
      'calls of the other',
      'its p99 ms',
      'pause ms',
      'machine load',
    ],
    phases.map(([name, mine, other, pause, busy]) => [
      name,
      mine.calls,
      mine.p99Ms,
      mine.maxMs,
      other.calls,
      other.p99Ms,
      pause,
      busy,
    ]),
  ),
)
if (kills.length > 0)
  console.log(
    `\n${table(['killed', 'at', 'served again after ms', 'moved forth and back again after s', 'machine load'], kills)}`,
  )
console.log(
  `\n${report.payments} payments, ${report.acknowledged} acknowledged objects, ${report.failures.length} failed calls, ` +
    `failed attempts: ${JSON.stringify(report.failedAttempts)}, ${report.received} events received, ${report.repeated} of them repeatedly.`,
)
console.log(`Checksums: ${report.checksum}`)
for (const violation of report.violations.slice(0, 10)) console.log(`FAILED  ${violation}`)
process.exit(report.violations.length === 0 ? 0 : 1)

/** After the kill, the move is completed, and undone. */
async function killAndRecover(victim: Victim, step: string): Promise<(string | number)[]> {
  const startedMs = performance.now()
  const servedMs = await killAt(shards, { victim, step })
  for (const args of [
    ['move', moving.id, '--to', 'b'],
    ['move', moving.id, '--back'],
    ['clean-up', moving.id, '--now'],
  ])
    await repeatUntilDone(shards, ['cells', ...args])
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(`Killed ${victim} at ${step}; moved forth and back again after ${seconds} s.`)
  return [victim, step, Math.round(servedMs), seconds, machineLoad()]
}

function exitWith(message: string): never {
  console.error(message)
  process.exit(1)
}
