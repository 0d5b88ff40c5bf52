// Sends many e-mails through an SMTP server that is killed and restarted during the run. Every e-mail of a live workspace
// must be received, and only those whose response was lost may be received twice. E-mails of a test workspace to
// strangers must never be received.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { compose } from '../../src/compose.ts'
import type { Deps } from '../../src/deps.ts'
import { sendMails } from '../../src/domains/payments/mails/work.ts'
import { type ManualClock, manualClock } from '../../src/kernel/clock.ts'
import { type Id, idFromUuid, idMaker, type Mode, uuidOf } from '../../src/kernel/id.ts'
import { mapConcurrently } from '../../src/platform/map-concurrently.ts'
import { setUpWorkspace } from '../../src/setup.ts'
import { configOf } from '../cuts/installation.ts'

export type DeliveryReport = {
  readonly mails: number
  readonly strangers: number
  /** How many times the SMTP server was killed. */
  readonly kills: number
  /** E-mails that were received twice, each after a lost response. */
  readonly duplicates: number
  /** E-mails that were received but have the status `failed`, because the response was lost twice. */
  readonly unknown: number
  readonly attempts: number
  readonly seconds: number
  readonly failures: readonly string[]
}

const concurrency = 16
const batchSize = 1_000
const kills = 2
const outageMs = 300

type Workspace = { readonly id: Id<'workspace'>; readonly mode: Mode }
type Run = { readonly owner: Pool; readonly deps: Deps; readonly clock: ManualClock; readonly smtp: Smtp }

export async function deliverMails(databaseUrl: string, mails: number): Promise<DeliveryReport> {
  const smtp = await startSmtp()
  const clock = manualClock(new Date())
  const config = {
    ...configOf(databaseUrl, 'http://127.0.0.1:9', { live: 'https://live.test', test: 'https://test.test' }),
    mail: {
      smtpUrl: smtp.url,
      outbox: null,
      from: 'Shop <receipts@example.com>',
      events: { postmark: null, sesTopics: [], returnPath: null },
      dkimSelectors: [],
      dnsServer: null,
    },
  }
  const switchyard = compose(config, { clock, publish: () => {}, isOverloaded: () => false })
  const owner = new Pool({ connectionString: databaseUrl, max: 4 })
  const run: Run = { owner, deps: switchyard.deps, clock, smtp }
  try {
    const [live, test] = [await newWorkspace(run, 'live'), await newWorkspace(run, 'test')]
    const strangers = Math.max(Math.floor(mails / 100), 10)
    await insertMails(run, live, { count: mails, name: 'payer' })
    await insertMails(run, test, { count: strangers, name: 'stranger' })
    const startedMs = performance.now()
    await sendAll(run, mails)
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10
    return { mails, strangers, kills, seconds, ...(await check(run, live, test)) }
  } finally {
    await smtp.stop()
    await owner.end()
    await switchyard.close()
  }
}

async function newWorkspace({ deps }: Run, mode: Mode): Promise<Workspace> {
  const organizationId = idFromUuid('organization', mode, idMaker(new Date(), 0)())
  const { workspaceId } = await setUpWorkspace(deps, { organizationId, mode, name: 'A shop' })
  return { id: workspaceId, mode }
}

async function insertMails(
  { owner, clock }: Run,
  workspace: Workspace,
  batch: { count: number; name: string },
) {
  const reading = clock.read()
  const at = 'at' in reading ? reading.at : new Date()
  await owner.query(
    `insert into mails (workspace_id, id, kind, object_id, step, recipient, facts, status, send_at, due_at,
        created_at, updated_at)
      select $1, uuidv7(), 'receipt', uuidv7(), 0, $2 || n || '@example.com',
        json_build_object('amount', '1299', 'currency', 'eur', 'at', $3::timestamptz), 'pending', $3, $3, $3, $3
      from generate_series(1, $4::int) as n`,
    [uuidOf(workspace.id), batch.name, at, batch.count],
  )
}

/** Runs due e-mails until none is pending. The clock advances to the next attempt whenever nothing is due. */
async function sendAll(run: Run, mails: number): Promise<void> {
  const killAt = Array.from({ length: kills }, (_, nth) => Math.floor((mails * (nth + 1)) / (kills + 1)))
  let handled = 0
  let outage = Promise.resolve()
  for (;;) {
    const due = await findDue(run)
    if (due.length === 0) {
      const seconds = await secondsToNextAttempt(run)
      if (seconds === null) break
      run.clock.advance({ seconds })
      continue
    }
    await mapConcurrently(concurrency, due, async (ref) => {
      await sendMails.handle(run.deps, ref)
      handled += 1
      if (killAt[0] === undefined || handled < killAt[0]) return
      killAt.shift()
      outage = run.smtp.killAndRestart()
    })
    await outage
  }
}

async function findDue({ owner, clock }: Run) {
  const reading = clock.read()
  const { rows } = await owner.query<{ workspace_id: string; id: string; mode: Mode }>(
    `select workspace_id, id, mode from mails join workspaces using (workspace_id)
      where due_at <= $1 order by due_at limit ${batchSize}`,
    ['at' in reading ? reading.at : new Date()],
  )
  return rows.map(({ workspace_id, id, mode }) => ({
    workspaceId: idFromUuid('workspace', mode, workspace_id),
    id: idFromUuid('mail', mode, id),
  }))
}

async function secondsToNextAttempt({ owner, clock }: Run): Promise<number | null> {
  const { rows } = await owner.query<{ due_at: Date | null }>('select min(due_at) as due_at from mails')
  const reading = clock.read()
  const dueAt = rows[0]?.due_at ?? null
  if (dueAt === null || !('at' in reading)) return null
  return Math.max(1, Math.ceil((dueAt.getTime() - reading.at.getTime()) / 1000))
}

type MailRow = {
  readonly id: string
  readonly status: string
  readonly reason: string | null
  readonly unknowns: number
  readonly attempts: number
}
type CheckedMail = MailRow & { readonly times: number }

async function check(run: Run, live: Workspace, test: Workspace) {
  const mails = await readMails(run, live)
  const strangers = run.smtp.received().filter(({ to }) => !to.startsWith('payer'))
  return {
    duplicates: mails.filter(({ times }) => times === 2).length,
    unknown: mails.filter(isUnknown).length,
    attempts: mails.reduce((sum, { attempts }) => sum + attempts, 0),
    failures: [
      ...mails.flatMap(problemsOf),
      ...(await readMails(run, test))
        .filter(isSentToStranger)
        .map(({ id }) => `${id} was sent to a stranger`),
      ...strangers.map(({ to }) => `${to} is a stranger`),
    ],
  }
}

async function readMails({ owner, smtp }: Run, { id, mode }: Workspace): Promise<CheckedMail[]> {
  const received = Map.groupBy(smtp.received(), (mail) => mail.id)
  const { rows } = await owner.query<MailRow>(
    'select id, status, reason, unknowns, attempts from mails where workspace_id = $1',
    [uuidOf(id)],
  )
  return rows.map((row) => ({ ...row, times: received.get(idFromUuid('mail', mode, row.id))?.length ?? 0 }))
}

function isUnknown({ status, reason, unknowns }: CheckedMail): boolean {
  return status === 'failed' && reason === 'outcome_unknown' && unknowns === 2
}

function isSentToStranger({ status, reason, times }: CheckedMail): boolean {
  return times > 0 || status !== 'not_sent' || reason !== 'test_recipient'
}

function problemsOf(mail: CheckedMail): string[] {
  const { id, status, reason, unknowns, times } = mail
  const isFinished = status === 'sent' || isUnknown(mail)
  // Each repeat follows a response that was lost.
  const isExplained = times <= 1 + unknowns && times <= 2
  return [
    ...(isFinished ? [] : [`${id} is ${status}: ${reason}`]),
    ...(times > 0 ? [] : [`${id} was not received`]),
    ...(isExplained ? [] : [`${id} was received ${times} times after ${unknowns} lost responses`]),
  ]
}

type Smtp = {
  readonly url: string
  received(): readonly { readonly id: string; readonly to: string }[]
  /** Kills the server with open connections, and starts it again at the same port. */
  killAndRestart(): Promise<void>
  stop(): Promise<void>
}

async function startSmtp(): Promise<Smtp> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-smtp-'))
  const file = join(folder, 'received')
  const start = async (port: number) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'smtp-process.ts'), String(port), file],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const [line] = await once(child.stdout, 'data')
    return { child, port: Number(String(line)) }
  }
  let server = await start(0)
  const { port } = server
  const kill = async () => {
    const exited = once(server.child, 'exit')
    server.child.kill('SIGKILL')
    await exited
  }
  return {
    url: `smtp://127.0.0.1:${port}`,
    received: () =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => {
          const [id = '', to = ''] = line.split(' ')
          return { id, to }
        }),
    async killAndRestart() {
      await kill()
      await sleep(outageMs)
      server = await start(port)
    },
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
