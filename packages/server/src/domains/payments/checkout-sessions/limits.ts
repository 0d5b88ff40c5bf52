/**
 * Limits on declined payments, so that stolen cards cannot be tested at a payment page. Pure functions.
 *
 * Each network, card, link and workspace has a budget. A try uses one unit of each budget before a provider
 * is called. An approval returns the unit and adds another as credit. After a decline or an unknown outcome
 * the unit stays used, and is returned at a constant rate over the window. So without approvals, the payments
 * of a link that reach a provider never exceed its budget plus the returned units, however many tries are
 * concurrent.
 *
 * If a budget is used up, payers must wait, but they are not locked out. While the budget of a link or
 * workspace is used up, payers from networks without recent declines can use a reserve that is four times as
 * large.
 */

import type { CheckoutLimits } from '../../../kernel/checkout-limits.ts'

const sessionLimits = { cards: 3, declines: 5 } as const
const cardBudget = { size: 3, windowSeconds: 3_600, maxCredit: 0 } as const
const reserveFactor = 4
/**
 * The maximum credit from approvals, as a multiple of the budget. With credit, payments in progress do not
 * use up the budget of a busy page.
 */
const creditFactor = 5
/** A network without a decline for this long may use the reserve. */
const cleanSeconds = 3_600
/** The wait if only payments in progress use up the budget: they end within seconds. */
const shortWaitSeconds = 2

export type Scope = 'network' | 'card' | 'link' | 'workspace'

/** A stored budget, with its values at the time `updatedAt`. */
export type Budget = {
  readonly scope: Scope
  readonly key: string
  readonly level: number
  readonly reserve: number
  /** Payments in progress that are included in `level`. */
  readonly open: number
  readonly declinedAt: Date | null
  readonly updatedAt: Date
}

export type SessionTries = { readonly cards: number; readonly declines: number; readonly isNewCard: boolean }

/** The values to store after the try has used its unit of a budget. */
export type BudgetUpdate = { readonly key: string; readonly level: number; readonly reserve: number }

export type Decision =
  | {
      readonly ok: true
      readonly raisesAlarm: boolean
      readonly usesReserve: boolean
      readonly updates: readonly BudgetUpdate[]
    }
  | {
      readonly ok: false
      readonly raisesAlarm: boolean
      readonly by: Scope | 'session'
      /** When to try again; null means never in this session. */
      readonly waitSeconds: number | null
    }

/** Decides whether a try may reach a provider. `tries` is null while the card is unknown. */
export function decideAttempt(
  limits: CheckoutLimits,
  budgets: readonly Budget[],
  tries: SessionTries | null,
  now: Date,
): Decision {
  const levels = budgets.map((budget) => levelAt(limits, budget, now))
  const shared = levels.filter(isShared)
  const raisesAlarm = shared.some(({ main }) => main.waitSeconds > 0 && main.isUsedByDeclines)
  if (tries !== null && isSessionAtLimit(tries))
    return { ok: false, raisesAlarm, by: 'session', waitSeconds: null }

  const usesReserve = shared.some(({ main }) => main.waitSeconds > 0) && canUseReserve(levels, now)
  const waits = levels.map((level) => {
    const { waitSeconds } = usesReserve && isShared(level) ? level.reserve : level.main
    return { by: level.budget.scope, waitSeconds }
  })
  const longest = waits.reduce(
    (longer, wait) => (wait.waitSeconds > longer.waitSeconds ? wait : longer),
    noWait,
  )
  if (longest.waitSeconds > 0) return { ok: false, raisesAlarm, ...longest }
  return { ok: true, raisesAlarm, usesReserve, updates: levels.map((level) => useUnit(level, usesReserve)) }
}

const noWait: { readonly by: Scope; readonly waitSeconds: number } = { by: 'workspace', waitSeconds: 0 }

function isSessionAtLimit({ cards, declines, isNewCard }: SessionTries): boolean {
  return (isNewCard && cards >= sessionLimits.cards) || declines >= sessionLimits.declines
}

/** The current state of the main part or of the reserve of a budget. */
type Part = {
  readonly level: number
  /** Zero if a unit is available. */
  readonly waitSeconds: number
  /** Whether declines, not payments in progress, use at least half of the budget. */
  readonly isUsedByDeclines: boolean
}
type Level = { readonly budget: Budget; readonly main: Part; readonly reserve: Part }

const isShared = ({ budget: { scope } }: Level) => scope === 'link' || scope === 'workspace'

function levelAt(limits: CheckoutLimits, budget: Budget, now: Date): Level {
  const { size, windowSeconds, maxCredit } =
    budget.scope === 'card' ? cardBudget : configuredBudget(limits, budget.scope)
  const seconds = Math.max(0, (now.getTime() - budget.updatedAt.getTime()) / 1000)
  const partAt = (level: number, partSize: number, open: number): Part => {
    const perSecond = partSize / windowSeconds
    const current = decay(Math.max(level, -maxCredit), seconds * perSecond)
    const excess = current + 1 - partSize
    const isUsedByDeclines = current - open >= partSize / 2
    // The small term corrects floating point errors.
    const wait = isUsedByDeclines ? Math.ceil(excess / perSecond - 1e-6) : shortWaitSeconds
    return { level: current, isUsedByDeclines, waitSeconds: excess > 0 ? Math.max(1, wait) : 0 }
  }
  const main = partAt(budget.level, size, budget.open)
  return { budget, main, reserve: partAt(budget.reserve, size * reserveFactor, 0) }
}

function configuredBudget(limits: CheckoutLimits, scope: Exclude<Scope, 'card'>) {
  const size = limits[scope]
  return { size, windowSeconds: limits.windowSeconds, maxCredit: size * creditFactor }
}

/** Used units are returned, and credit decays, at the same rate. */
function decay(level: number, units: number): number {
  return level > 0 ? Math.max(0, level - units) : Math.min(0, level + units)
}

/** Whether all networks of the payer have credit, or neither recent declines nor payments in progress. */
function canUseReserve(levels: readonly Level[], now: Date): boolean {
  const networks = levels.filter(({ budget }) => budget.scope === 'network')
  const hasNoDeclines = ({ declinedAt, open }: Budget) =>
    open === 0 && (declinedAt === null || now.getTime() - declinedAt.getTime() > cleanSeconds * 1000)
  return networks.length > 0 && networks.every(({ budget, main }) => main.level < 0 || hasNoDeclines(budget))
}

function useUnit(level: Level, usesReserve: boolean): BudgetUpdate {
  const fromReserve = usesReserve && isShared(level)
  return {
    key: level.budget.key,
    level: level.main.level + (fromReserve ? 0 : 1),
    reserve: level.reserve.level + (fromReserve ? 1 : 0),
  }
}

/**
 * The networks of an IP address: a /24 for IPv4; a /64, a /56 and a /48 for IPv6, because internet providers
 * assign one of these to a customer. Loopback addresses have none: they belong to a developer, or to a proxy
 * that does not forward addresses.
 */
export function networksOf(address: string): readonly string[] {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  if (mapped === '::1' || mapped.startsWith('127.')) return []
  if (!mapped.includes(':')) return [`${mapped.split('.').slice(0, 3).join('.')}.0/24`]
  const [head = '', tail] = mapped.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const after = (tail ?? '').split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const numbers = [...groups, ...Array<string>(zeros).fill('0'), ...after].map((group) => parseInt(group, 16))
  const [a = 0, b = 0, c = 0, d = 0] = numbers
  const prefix = (last: number, bits: number) =>
    `${[a, b, c, last].map((number) => number.toString(16)).join(':')}::/${bits}`
  return [prefix(d, 64), prefix(d & 0xff00, 56), prefix(0, 48)]
}
