// `npm run nightly`: runs every bench, drill, soak and long test in its short form, one after the other, prints a
// table of name, seconds and result, and exits with 1 if one failed. Their output is in .switchyard/nightly.
// `--only bench,drill:restore` runs only these. A command whose requirements are missing on
// this machine fails; `--without drill:metrics` skips it.

import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from '../bench/table.ts'
import { type NightlyCommand, nightlyCommands } from './nightly/commands.ts'
import { runWithTimeout } from './nightly/run.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, without: { type: 'string' } } })
const only = values.only?.split(',')
const without = values.without?.split(',') ?? []
const scripts = new Set(nightlyCommands.map(({ script }) => script))
for (const name of [...(only ?? []), ...without]) {
  if (scripts.has(name)) continue
  console.error(`There is no nightly command "${name}". Commands: ${[...scripts].join(', ')}.`)
  process.exit(2)
}

const root = resolve(import.meta.dirname, '..')
const logs = resolve(root, '.switchyard/nightly')
mkdirSync(logs, { recursive: true })

const rows: string[][] = []
let failures = 0
for (const [index, command] of nightlyCommands.entries()) {
  if (only !== undefined && !only.includes(command.script)) continue
  const name = [command.script, ...command.args].join(' ')
  if (without.includes(command.script)) {
    rows.push([name, '', 'skipped'])
    continue
  }
  const { seconds, result } = await run(
    command,
    name,
    `${logs}/${index + 1}-${command.script.replace(':', '-')}.log`,
  )
  if (result !== 'ok') failures += 1
  rows.push([name, seconds.toFixed(0), result])
}
console.log(`\n${table(['command', 'seconds', 'result'], rows)}\n`)
console.log(`${rows.length} commands, ${failures} failed.`)
process.exitCode = failures === 0 ? 0 : 1

async function run({ script, args, minutes, needs }: NightlyCommand, name: string, logFile: string) {
  const outcome = await runWithTimeout({
    command: 'npm',
    args: ['run', '--silent', script, '--', ...args],
    cwd: root,
    timeoutMs: minutes * 60_000,
    logFile,
  })
  console.log(`${outcome.seconds.toFixed(0).padStart(5)} s  ${outcome.result.padEnd(12)}  ${name}`)
  if (outcome.result !== 'ok') {
    if (needs !== undefined) console.log(`         It needs ${needs}.`)
    console.log(`         ${logFile}\n${outcome.lastLines.map((line) => `         ${line}`).join('\n')}`)
  }
  return outcome
}
