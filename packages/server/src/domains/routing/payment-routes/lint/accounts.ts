/** Checks whether the accounts of a route exist and can process what is sent to them. */

import { type Action, accountsOf, type Definition, type Finding } from '../payment-route.ts'
import { describePayment, type LintAccount, type LintContext, type LintEnvironment } from './lint-context.ts'
import type { Formula, Goal } from './search.ts'

type ActionWithPointer = { readonly action: Action; readonly pointer: string }

export function actionsWithPointers({
  rules,
  default: defaultAction,
}: Definition): readonly ActionWithPointer[] {
  return [
    ...rules.map(({ then }, index) => ({ action: then, pointer: `/rules/${index}/then` })),
    { action: defaultAction, pointer: '/default' },
  ]
}

/** The accounts of an action with their locations. */
function targetsOf({ action, pointer }: ActionWithPointer): readonly { id: string; pointer: string }[] {
  const targetCount = action.type === 'decline' ? 0 : action.targets.length
  return accountsOf(action).map((id, index) => ({
    id,
    pointer:
      index < targetCount ? `${pointer}/targets/${index}` : `${pointer}/fallback/${index - targetCount}`,
  }))
}

export function accountFindings(definition: Definition, environment: LintEnvironment): Finding[] {
  const accountsById = new Map(environment.accounts.map((account) => [account.id, account]))
  return actionsWithPointers(definition)
    .flatMap(targetsOf)
    .flatMap(({ id, pointer }): Finding[] => {
      const account = accountsById.get(id)
      if (account === undefined) {
        const detail = 'The provider account does not exist or is not active.'
        return [{ severity: 'error', code: 'account_not_active', pointer, detail }]
      }
      return [
        ...(lacksCheck(account, environment) ? [checkMissing(account, pointer)] : []),
        ...vaultFindings(account, pointer, environment),
      ]
    })
}

const checkValidMs = 90 * 24 * 60 * 60 * 1000

/** A custom provider can process live payments only after a conformance check. */
function lacksCheck({ provider, check }: LintAccount, { mode, now }: LintEnvironment): boolean {
  if (mode !== 'live' || provider !== 'custom') return false
  return check === null || check.faults.length > 0 || now.getTime() - check.at.getTime() > checkValidMs
}

function checkMissing({ displayName }: LintAccount, pointer: string): Finding {
  const detail = `${displayName} has not passed a check in the last 90 days.`
  return { severity: 'error', code: 'custom_not_checked', pointer, detail }
}

/** Such an account can only charge saved cards for which it has a credential. */
function vaultFindings(
  { displayName, cardData, vaultObstacle = null }: LintAccount,
  pointer: string,
  { usesExternalVault = false }: LintEnvironment,
): Finding[] {
  const obstacle = cardData === 'token' ? 'The account accepts tokens only.' : vaultObstacle
  if (!usesExternalVault || obstacle === null) return []
  const detail = `${displayName} cannot be reached through the card vault, so it is skipped for new cards. ${obstacle}`
  return [{ severity: 'warning', code: 'unreachable_through_vault', pointer, detail }]
}

export function capabilityFindings(context: LintContext, { accounts }: LintEnvironment): Finding[] {
  return actionsWithPointers(context.definition).flatMap((located, index) => {
    if (!context.isReachable[index] || located.action.type === 'decline') return []
    const targets = targetsOf(located).flatMap(({ id, pointer }) => {
      const account = accounts.find((entry) => entry.id === id)
      return account === undefined ? [] : [{ account, pointer }]
    })
    // Missing accounts have their own findings.
    return targets.length === 0
      ? []
      : targetFindings(context, context.reach[index] as readonly Goal[], { located, targets })
  })
}

type ActionTargets = {
  readonly located: ActionWithPointer
  readonly targets: readonly { readonly account: LintAccount; readonly pointer: string }[]
}

/**
 * With limits the route must have an account for every payment within them. Without limits each account only
 * has to be able to process some of the payments.
 */
function targetFindings(
  context: LintContext,
  reach: readonly Goal[],
  { located, targets }: ActionTargets,
): Finding[] {
  const { space, supported } = context
  const supportGoal = ({ id }: LintAccount, expected: boolean): Goal => ({
    formula: supported.get(id) as Formula,
    expected,
  })
  const limitGoals = context.withinLimits === null ? [] : [{ formula: context.withinLimits, expected: true }]
  const capableTargets = targets.filter(
    ({ account }) => space.find([...reach, supportGoal(account, true)]).status !== 'impossible',
  )
  if (capableTargets.length === 0) return [noCapableTarget(located, 'any payment that reaches this action')]
  if (context.withinLimits !== null) {
    const uncovered = space.find([
      ...limitGoals,
      ...reach,
      ...coveringAccounts(targets).map((account) => supportGoal(account, false)),
    ])
    if (uncovered.status === 'found')
      return [noCapableTarget(located, `a payment within the limits: ${describePayment(uncovered.example)}`)]
  }
  return targets.flatMap(({ account, pointer }): Finding[] => {
    if (!capableTargets.some((target) => target.account === account)) {
      return [incapableTarget(account, pointer, 'cannot process any payment that reaches this action')]
    }
    if (context.withinLimits === null) return []
    const unprocessable = space.find([...limitGoals, ...reach, supportGoal(account, false)])
    if (unprocessable.status !== 'found') return []
    return [incapableTarget(account, pointer, `cannot process ${describePayment(unprocessable.example)}`)]
  })
}

/**
 * The accounts that can process a payment with a card number. If all accounts accept only tokens, every payment comes with
 * a token of one of them.
 */
function coveringAccounts(targets: ActionTargets['targets']): readonly LintAccount[] {
  const accounts = targets.map(({ account }) => account)
  const withCardNumber = accounts.filter(({ cardData }) => cardData === 'pan')
  return withCardNumber.length > 0 ? withCardNumber : accounts
}

function noCapableTarget({ pointer }: ActionWithPointer, payments: string): Finding {
  const detail = `No account of this action can process ${payments}.`
  return { severity: 'error', code: 'no_capable_target', pointer, detail }
}

function incapableTarget({ displayName }: LintAccount, pointer: string, limitation: string): Finding {
  return {
    severity: 'warning',
    code: 'some_targets_incapable',
    pointer,
    detail: `${displayName} ${limitation}.`,
  }
}
