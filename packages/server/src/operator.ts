/** The commands for operators, except those that run or configure the service. */
import type { Switchyard } from './compose.ts'
import { type Config, ConfigError } from './config.ts'
import { verifyAuditLog } from './domains/access/audit/service.ts'
import { eachWorkspace } from './domains/access/organizations/service.ts'
import { startBackfill } from './domains/finance/ledger/service/backfill.ts'
import { findDifferences, formatDifference } from './domains/finance/ledger/service/verify.ts'
import { importCardBins } from './domains/payments/card-bins/service.ts'
import {
  canListOperations,
  type ReconciledOperation,
  type ReconcileOptions,
  reconcileAccount,
} from './domains/payments/payments/commands/reconcile-account.ts'
import {
  type EvaluationRefusal,
  type EvaluationResult,
  evaluateRoute,
} from './domains/routing/payment-routes/service/evaluate.ts'
import { listAccountIds } from './domains/routing/provider-accounts/service.ts'
import { systemCaller } from './kernel/caller.ts'
import { type CheckResult, checkStatuses } from './kernel/checkup.ts'
import { addSeconds } from './kernel/clock.ts'
import { type Id, type Kind, modeOf, parseId, slotOf, uuidOf } from './kernel/id.ts'
import {
  deleteCell,
  exportDirectory,
  importDirectory,
  type ListedCell,
  listCells,
  readDirectory,
  saveCell,
} from './platform/db/cell-directory.ts'
import { onShardOf } from './platform/db/fence.ts'
import { describeMoves } from './platform/db/moves/describe.ts'
import { cleanUpMove, type MoveOptions, moveWorkspace } from './platform/db/moves/run.ts'
import { asOwner } from './platform/db/owner.ts'
import { read } from './platform/db/unit-of-work.ts'
import { linesOfFile } from './platform/disk.ts'
import { withTimeout } from './platform/engine/cancellable-sleep.ts'
import { listParked, releaseParked } from './platform/engine/parking.ts'
import { createKeyring } from './platform/sealed-box/keyring.ts'
import { rotateMasterKey } from './platform/sealed-box/rotation.ts'
import { workTypes } from './work-types.ts'

type Print = (line: string) => void

/** How long NATS may take to respond before it counts as unavailable. */
const natsTimeoutMs = 3_000

/** Checks the installation. False if a check fails. The most severe results come first. */
export async function runDoctor(
  { deps, engine, config }: Switchyard,
  options: { readonly json?: boolean | undefined },
  print: Print,
): Promise<boolean> {
  const connected = new Promise<void>((resolve) => engine.connection.onConnected(resolve))
  if (config.natsUrl !== null) await withTimeout(natsTimeoutMs, connected, undefined)
  const { status, checks } = await deps.runCheckup()
  if (options.json === true) print(JSON.stringify({ status, checks }, null, 2))
  else for (const check of checks.toSorted(byStatus)) for (const line of formatCheck(check)) print(line)
  return status !== 'fail'
}

const byStatus = (a: CheckResult, b: CheckResult) =>
  checkStatuses.indexOf(b.status) - checkStatuses.indexOf(a.status)

function formatCheck({ status, title, detail, advice, which }: CheckResult): readonly string[] {
  const summary = `${status.padEnd(4)}  ${title}: ${detail}`
  return [summary, ...(advice === null ? [] : [advice]), ...which].map((line, index) =>
    index === 0 ? line : `      ${line}`,
  )
}

/**
 * Verifies the audit chain of every workspace. False if one of them is broken. It prints the end of each
 * chain: the owner of the database could rewrite a whole chain, so store these lines somewhere else.
 */
export async function verifyAudit({ deps }: Switchyard, print: Print): Promise<boolean> {
  let [checked, broken] = [0, 0]
  for await (const id of eachWorkspace(deps)) {
    const { brokenAt, head } = await verifyAuditLog(deps, systemCaller({ workspaceId: id, id }))
    checked += 1
    if (brokenAt !== null) broken += 1
    print(
      brokenAt === null
        ? `${id} valid, ${head.number} entries, ${head.hash.toString('hex')}`
        : `${id} INVALID at entry ${brokenAt}`,
    )
  }
  print(`${checked} workspaces, ${broken} with an invalid audit log.`)
  return broken === 0
}

/**
 * Recomputes the amounts of payments, invoices and credit balances, and the balances of accounts, of every workspace from the
 * ledger. False if an amount differs.
 */
export async function verifyLedger({ deps }: Switchyard, print: Print): Promise<boolean> {
  let [checked, differences] = [0, 0]
  for await (const id of eachWorkspace(deps)) {
    checked += 1
    for await (const difference of findDifferences(deps, systemCaller({ workspaceId: id, id }))) {
      differences += 1
      print(`${id} ${formatDifference(difference)}.`)
    }
  }
  print(`Workspaces: ${checked}. Differences: ${differences}.`)
  return differences === 0
}

/** Starts the backfill of the ledger in every workspace. Workers run it in the background. */
export async function backfillLedger({ deps }: Switchyard, print: Print): Promise<boolean> {
  let started = 0
  for await (const id of eachWorkspace(deps)) {
    await startBackfill(deps, systemCaller({ workspaceId: id, id }))
    started += 1
  }
  print(`Workspaces: ${started}. The workers post what is missing, and check again after 30 minutes.`)
  return true
}

const maxShown = 100

/** Work that failed too many times and needs attention. */
export async function showParked({ deps }: Switchyard, print: Print): Promise<void> {
  const lists = await Promise.all(
    deps.databases.shards.map((shard) => listParked(shard, workTypes, maxShown)),
  )
  const parked = lists.flat()
  if (parked.length === 0) return print('No work is parked.')
  for (const { work, workspaceId, id, failures, reason, parkedAt } of parked) {
    print(`${parkedAt.toISOString()} ${work} ${workspaceId} ${id} failed ${failures} times: ${reason}`)
  }
  print('Release one with: parked release <work> <workspace id> <object id>')
}

/** Releases parked work, with ten new attempts. */
export async function release(
  { deps }: Switchyard,
  [name, workspace, object]: readonly string[],
  print: Print,
): Promise<boolean> {
  const workType = workTypes.find((type) => type.name === name)
  if (workType === undefined)
    throw new ConfigError(
      `There is no work type "${name}". Use one of: ${workTypes.map((type) => type.name).join(', ')}.`,
    )
  const workspaceId = parseIdInEitherMode('workspace', workspace)
  const id = parseIdInEitherMode(workType.objectKind, object)
  const released = await onShardOf(deps.databases, workspaceId, (shard) =>
    releaseParked(shard, workType.name, { workspaceId, id }),
  )
  print(released ? 'Released. It will be retried within seconds.' : 'No parked work has that id.')
  return released
}

/** Encrypts all keys with the first master key. False if some are still encrypted with another one. */
export async function rotateKeys({ config, deps }: Switchyard, print: Print): Promise<boolean> {
  const keyring = createKeyring(config.masterKeys)
  const remaining = await rotateMasterKey(deps.databases, keyring, {
    onProgress: (done, total) => print(`${done} of ${total} workspaces`),
    onFault: print,
  })
  if (remaining > 0) {
    print(`${remaining} keys are still encrypted with a master key other than "${keyring.firstId}".`)
    print('Keep the older master keys in MASTER_KEYS, and run this command again.')
    return false
  }
  print(`Every key is encrypted with the master key "${keyring.firstId}".`)
  if (keyring.olderIds.length > 0) {
    print(`You can remove ${keyring.olderIds.join(', ')} from MASTER_KEYS if every process was started with`)
    print(
      `"${keyring.firstId}" as the first key. Otherwise restart the processes and run this command again first.`,
    )
  }
  return true
}

/**
 * Replaces the BIN table with a CSV file. False if a line is invalid; the previous table then stays in use.
 */
export async function importBins(
  { deps }: Switchyard,
  path: string | undefined,
  print: Print,
): Promise<boolean> {
  if (path === undefined) throw new ConfigError('import-bins requires the path of a CSV file.')
  const { prefixes, faults } = await importCardBins(deps, () => linesOfFile(path))
  for (const { line, detail } of faults) print(`Line ${line} ${detail}.`)
  print(
    faults.length > 0
      ? 'Nothing was imported: the previous table stays in use.'
      : `Imported ${prefixes.toLocaleString('en')} prefixes. Every process uses them within a minute.`,
  )
  return faults.length === 0
}

type ReconcileInput = {
  readonly since?: string | undefined
  readonly apply?: boolean | undefined
  readonly 'return-unknown'?: boolean | undefined
}

/** The clocks of providers differ from ours, and a request is received later than it is committed. */
const reconcileMarginSeconds = 600

/** Compares the operations of all providers with ours. False if something remains to be done. */
export async function reconcile({ deps }: Switchyard, input: ReconcileInput, print: Print): Promise<boolean> {
  const since = new Date(
    /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(input.since ?? '') ? (input.since ?? '') : '',
  )
  if (Number.isNaN(since.getTime()))
    throw new ConfigError('reconcile requires --since <instant>, such as 2026-11-15T14:31:00Z.')
  const { apply = false, 'return-unknown': returnUnknown = false } = input
  const options = { since: addSeconds(since, -reconcileMarginSeconds), apply, returnUnknown }
  const counts = new Map<string, number>()
  let isComplete = true
  for await (const workspaceId of eachWorkspace(deps)) {
    const caller = systemCaller({ workspaceId, id: workspaceId })
    for (const accountId of await read(deps, caller, listAccountIds)) {
      const run = { workspaceId, accountId, options, counts }
      isComplete = (await reconcileOne(deps, run, print)) && isComplete
    }
  }
  print(formatCounts(counts, apply))
  const remaining = apply ? remainingFindings : [...remainingFindings, ...repairedFindings]
  return isComplete && remaining.every((finding) => !counts.has(finding))
}

type AccountRun = {
  readonly workspaceId: Id<'workspace'>
  readonly accountId: Id<'provider_account'>
  readonly options: ReconcileOptions
  readonly counts: Map<string, number>
}

/** False if the list cannot be read. */
async function reconcileOne(
  deps: Switchyard['deps'],
  { workspaceId, accountId, options, counts }: AccountRun,
  print: Print,
): Promise<boolean> {
  if (!(await canListOperations(deps, workspaceId, accountId))) {
    print(`${accountId}  NOT CHECKED: its provider cannot list operations.`)
    return true
  }
  for await (const operation of reconcileAccount(deps, workspaceId, accountId, options)) {
    if ('fault' in operation) {
      print(`${accountId}  FAILED: the list of operations cannot be read. ${operation.fault}`)
      return false
    }
    const { finding } = operation
    counts.set(finding, (counts.get(finding) ?? 0) + 1)
    if (finding !== 'equal') print(formatReconciled(accountId, operation))
  }
  return true
}

const repairedFindings = ['differs', 'lost_payment', 'lost_operation', 'external_refund'] as const
const remainingFindings = ['in_progress', 'orphan', 'rebuilt', 'contradiction'] as const

const findingTexts: { readonly [F in ReconciledOperation['finding']]: string } = {
  equal: 'recorded',
  in_progress: 'in progress at the provider: run the command again',
  no_money: 'a verification, which moves no money',
  foreign: 'not ours',
  orphan: 'belongs to a payment that is not listed: compare it manually',
  differs: 'recorded with a different result, which is corrected or flagged for review',
  rebuilt: 'already rebuilt, needs review',
  lost_payment: 'missing here: rebuild the payment',
  lost_operation: 'missing here: rebuild it',
  external_refund: 'a refund that is missing here: record it',
  contradiction: 'contradicts our payment: flag it for review',
}

function formatReconciled(
  accountId: string,
  { listed, finding, paymentId, isReturned }: ReconciledOperation,
): string {
  const { createdAt, kind, money, reference, providerReference } = listed
  const columns = [
    accountId,
    createdAt.toISOString(),
    kind.padEnd(9),
    `${money.amount} ${money.currency}`.padStart(12),
    reference ?? providerReference,
    paymentId ?? '-',
    `${findingTexts[finding]}${isReturned ? ', and return it' : ''}`,
  ]
  return columns.join('  ')
}

function formatCounts(counts: ReadonlyMap<string, number>, isApplied: boolean): string {
  const parts = [...counts].map(([finding, count]) => `${finding} ${count}`)
  const result = parts.length === 0 ? 'No operations were listed.' : `${parts.join(', ')}.`
  return `${isApplied ? 'Applied' : 'Dry run, nothing was changed'}: ${result}`
}

type CellsInput = {
  readonly to?: string | undefined
  readonly back?: boolean | undefined
  readonly now?: boolean | undefined
}

/** Moves workspaces between data shards. False if the command could not be completed. */
export async function runCells(
  { databaseOwnerUrl: controlUrl, shards }: Config,
  [verb, workspace]: readonly string[],
  input: CellsInput,
  print: Print,
): Promise<boolean> {
  if (verb === 'moves') {
    for (const line of await describeMoves(controlUrl, shards)) print(line)
    return true
  }
  const id = parseIdInEitherMode('workspace', workspace)
  const options: MoveOptions = {
    controlUrl,
    shards,
    workspace: { uuid: uuidOf(id), slot: slotOf(id) },
    print,
  }
  const running =
    verb === 'clean-up' ? cleanUpMove(options, input.now === true) : moveWorkspace(options, goalOf(input))
  return running.then(
    () => true,
    (error: Error) => {
      print(error.message)
      print('Run the command again to continue, or cells moves to see the state.')
      return false
    },
  )
}

type DirectoryInput = {
  readonly live?: string | undefined
  readonly test?: string | undefined
  readonly dashboard?: string | undefined
}

/** Manages what this cell knows about other cells. */
export async function runDirectory(
  config: Config,
  [verb, name, file]: readonly string[],
  input: DirectoryInput,
  print: Print,
): Promise<void> {
  const { databaseOwnerUrl: controlUrl, shards } = config
  if (verb === 'export') {
    for (const line of await exportDirectory(controlUrl, shards)) print(line)
    return
  }
  if (verb === 'list') {
    const cells = await asOwner(controlUrl, listCells)
    for (const line of cells.length === 0 ? ['There are no other cells.'] : cells.map(formatCell)) print(line)
    return
  }
  await changeDirectory(controlUrl, { verb, name: requireCellName(name), file, addresses: input }, print)
}

type DirectoryChange = {
  readonly verb: string | undefined
  readonly name: string
  readonly file: string | undefined
  readonly addresses: DirectoryInput
}

async function changeDirectory(
  controlUrl: string,
  { verb, name, file, addresses }: DirectoryChange,
  print: Print,
): Promise<void> {
  if (verb === 'remove') {
    await deleteCell(controlUrl, name)
    return print(`Removed the cell ${name} and its directory.`)
  }
  if (verb === 'add') {
    await saveCell(controlUrl, name, {
      live: requireAddress('live', addresses.live),
      test: requireAddress('test', addresses.test),
      dashboard: requireAddress('dashboard', addresses.dashboard),
    })
    return print(`Saved the addresses of the cell ${name}. Import its directory: cells import ${name} <file>`)
  }
  if (file === undefined) throw new ConfigError('cells import requires a file: cells import <name> <file>.')
  const lines: string[] = []
  for await (const line of linesOfFile(file)) lines.push(line)
  const keys = readDirectory(lines)
  await importDirectory(controlUrl, name, keys)
  print(`Imported ${keys.length} keys of the cell ${name}.`)
}

function requireCellName(name = ''): string {
  if (/^[a-z][a-z0-9_]{0,31}$/.test(name)) return name
  throw new ConfigError(
    `"${name}" is not a valid cell name: use lower-case letters, digits and underscores, and begin with a letter.`,
  )
}

function requireAddress(option: string, text: string | undefined): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === '')
    return url.origin
  throw new ConfigError(
    `cells add requires --${option} <url>, such as https://api.eu2.example.com, without a path.`,
  )
}

function formatCell({ name, live, test, dashboard, importedAt, keys }: ListedCell): string {
  const imported = importedAt === null ? 'never imported' : `imported ${importedAt.toISOString()}`
  return `${name}  live ${live}, test ${test}, dashboard ${dashboard}, ${keys} keys, ${imported}`
}

function goalOf({ to, back = false }: CellsInput): string {
  if (back === (to !== undefined)) throw new ConfigError('cells move requires either --to <shard> or --back.')
  return to ?? 'back'
}

type EvaluateOptions = {
  readonly route?: string | undefined
  readonly days?: string | undefined
  readonly json?: boolean | undefined
}

/** Compares an adaptive order with the fixed one, using recorded payments. False if there is no result. */
export async function evaluate(
  { deps }: Switchyard,
  options: EvaluateOptions,
  print: Print,
): Promise<boolean> {
  const id = parseIdInEitherMode('payment_route', options.route)
  const days = Number(options.days ?? 30)
  if (!Number.isInteger(days) || days < 1 || days > 365)
    throw new ConfigError('--days must be an integer from 1 to 365.')
  const result = await findAndEvaluate(deps, id, days)
  if (result === null) throw new ConfigError(`There is no payment route ${id}.`)
  if (options.json === true)
    print(JSON.stringify({ payment_route_id: id, days, ...presentEvaluation(result) }))
  else for (const line of formatEvaluation(result, days)) print(line)
  return !('refused' in result)
}

/**
 * Finds the workspace of the route. The id contains the slot of the workspace, which few workspaces share.
 */
async function findAndEvaluate(deps: Switchyard['deps'], id: Id<'payment_route'>, days: number) {
  for await (const workspaceId of eachWorkspace(deps)) {
    if (slotOf(workspaceId) !== slotOf(id) || modeOf(workspaceId) !== modeOf(id)) continue
    const result = await evaluateRoute(deps, systemCaller({ workspaceId, id: workspaceId }), id, days)
    if (result !== null) return result
  }
  return null
}

function presentEvaluation(result: EvaluationResult | EvaluationRefusal): object {
  if ('refused' in result) return result
  const { withoutDraw: without_lot, stillLearning: still_learning, ...figures } = result
  return { ...figures, without_lot, still_learning }
}

function formatEvaluation(result: EvaluationResult | EvaluationRefusal, days: number): readonly string[] {
  if ('refused' in result) return [`No result: ${result.refused}`]
  const points = (share: number) => `${share < 0 ? '' : '+'}${(share * 100).toFixed(2)}`
  const percent = (share: number) => `${(share * 100).toFixed(2)}%`
  return [
    `Adaptive order vs. fixed order: ${points(result.uplift)} percentage points of approval rate,`,
    `95% interval ${points(result.low)} to ${points(result.high)}, from ${result.payments} randomly assigned payments in ${days} days.`,
    `First attempts approved: ${percent(result.fixed)} with the fixed order, ${percent(result.adaptive)} with the adaptive order.`,
    `Excluded: ${result.withoutDraw} payments that were not randomly assigned, ${result.stillLearning} made before there were enough attempts.`,
  ]
}

function parseIdInEitherMode<K extends Kind>(kind: K, text = '') {
  const id = parseId(kind, 'live', text) ?? parseId(kind, 'test', text)
  if (id === null) throw new ConfigError(`"${text}" is not a ${kind} id.`)
  return id
}
