// `npm run drill:first-minutes`: tests the first steps of a new user. Clones the current commit into an empty folder,
// with an empty home and without this repository's node_modules on PATH, runs the commands of README.md under "Five
// minutes" in two shells, and prints the duration of each line.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { shellLines } from './first-minutes/readme.ts'
import { openShell, type Shell } from './first-minutes/shell.ts'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'switchyard-first-minutes-'))
const clone = join(folder, 'switchyard')
const home = join(folder, 'home')
mkdirSync(home)

/** Printed by `npm run dev` when it is ready. */
const running = /Switchyard is running\./
/** Printed by the receiver for a webhook with a valid signature. */
const received = /^paid: /m

const pauseMs = 3_000

/** The URL of the receiver in README.md. */
const receiverUrl = 'http://127.0.0.1:4000/'

const startedAt = Date.now()
const shells: Shell[] = []
try {
  await runTimed('git clone', async () => execFileSync('git', ['clone', '--quiet', root, clone]))
  const readme = readFileSync(join(clone, 'README.md'), 'utf8')
  const first = shellLines(readme, 'first')
  const firstShell = startShell()
  for (const line of first)
    await runTimed(line, () => firstShell.runLine(line, line === first.at(-1) ? running : undefined))
  const secondShell = startShell()
  for (const line of shellLines(readme, 'second')) {
    await runTimed(line, () => secondShell.runLine(line))
    // A user takes a moment before the next command after starting a background job.
    if (line.endsWith('&')) await sleep(pauseMs)
  }
  await runTimed('(the receiver got the webhook)', () => secondShell.waitForOutput(received))
  await runTimed('kill %1 %2', () => secondShell.runLine('kill %1 %2; wait'))
  await requireStopped(receiverUrl)
  printDuration(startedAt, 'from the clone to a succeeded payment and a verified webhook')
} finally {
  for (const shell of shells) await shell.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Killing a background job must not leave its program running. */
async function requireStopped(url: string): Promise<void> {
  const response = await fetch(url).catch(() => null)
  if (response !== null) throw new Error(`The job was killed, but ${url} still responds.`)
}

function startShell(): Shell {
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  const newShell = openShell(clone, { HOME: home, PATH: path.join(delimiter), LANG: 'C.UTF-8' })
  shells.push(newShell)
  return newShell
}

async function runTimed(label: string, body: () => Promise<unknown>): Promise<void> {
  const start = Date.now()
  await body()
  printDuration(start, label)
}

function printDuration(start: number, label: string): void {
  console.log(`${((Date.now() - start) / 1000).toFixed(1).padStart(7)} s  ${label}`)
}
