// `npm run drill:first-minutes`: the first minutes as a stranger has them. Clones the commit that is checked out
// into an empty folder, with an empty home and nothing on PATH but what the machine has, types what README.md
// says under "Five minutes" into two shells, and says how long each line took.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { linesOfShells } from './first-minutes/readme.ts'
import { openShell, type Shell } from './first-minutes/shell.ts'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'switchyard-first-minutes-'))
const clone = join(folder, 'switchyard')
const home = join(folder, 'home')
mkdirSync(home)

/** What `npm run dev`, which stays, says when it is there. */
const running = /Switchyard is running\./
/** What the receiver says of a webhook whose signature holds. */
const received = /^paid: /m

const lookMs = 3_000

const began = Date.now()
const shells: Shell[] = []
try {
  await timed('git clone', async () => execFileSync('git', ['clone', '--quiet', root, clone]))
  const { first, second } = linesOfShells(readFileSync(join(clone, 'README.md'), 'utf8'))
  const one = shell()
  for (const line of first)
    await timed(line, () => one.type(line, line === first.at(-1) ? running : undefined))
  const two = shell()
  for (const line of second) {
    await timed(line, () => two.type(line))
    // What stays in the background is looked at by a person before they go on.
    if (line.endsWith('&')) await sleep(lookMs)
  }
  await timed('(the receiver has it)', () => two.says(received))
  tell(began, 'from the clone to a succeeded payment and a verified webhook')
} finally {
  for (const each of shells) await each.close()
  rmSync(folder, { recursive: true, force: true })
}

function shell(): Shell {
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  const opened = openShell(clone, { HOME: home, PATH: path.join(delimiter), LANG: 'C.UTF-8' })
  shells.push(opened)
  return opened
}

async function timed(what: string, body: () => Promise<unknown>): Promise<void> {
  const start = Date.now()
  await body()
  tell(start, what)
}

function tell(start: number, what: string): void {
  console.log(`${((Date.now() - start) / 1000).toFixed(1).padStart(7)} s  ${what}`)
}
