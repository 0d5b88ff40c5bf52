/** Whether the accounts of a route are there, and can take what is sent to them. */

import { type LintAccount, type Looked, type Surroundings, wordsOf } from './looked.ts'
import { type Action, accountsOf, type Definition, type Finding } from './payment-route.ts'
import type { Goal } from './search.ts'
import { promisedBy, takenBy } from './terms.ts'

type Placed = { readonly action: Action; readonly pointer: string }

export function placedActions({ rules, default: otherwise }: Definition): readonly Placed[] {
  return [
    ...rules.map(({ then }, at) => ({ action: then, pointer: `/rules/${at}/then` })),
    { action: otherwise, pointer: '/default' },
  ]
}

/** The places of the accounts of an action. */
function targetsOf({ action, pointer }: Placed): readonly { id: string; pointer: string }[] {
  const main = action.type === 'decline' ? 0 : action.targets.length
  return accountsOf(action).map((id, at) => ({
    id,
    pointer: at < main ? `${pointer}/targets/${at}` : `${pointer}/fallback/${at - main}`,
  }))
}

export function accountFindings(definition: Definition, surroundings: Surroundings): Finding[] {
  const known = new Map(surroundings.accounts.map((account) => [account.id, account]))
  return placedActions(definition)
    .flatMap(targetsOf)
    .flatMap(({ id, pointer }): Finding[] => {
      const account = known.get(id)
      if (account === undefined) {
        const detail = 'There is no such provider account, or it is not active.'
        return [{ severity: 'error', code: 'account_not_active', pointer, detail }]
      }
      return needsCheck(account, surroundings) ? [notChecked(account, pointer)] : []
    })
}

const checkedForMs = 90 * 24 * 60 * 60 * 1000

/** A business's own provider takes real money only after it has shown that it keeps the protocol. */
function needsCheck({ provider, check }: LintAccount, { mode, now }: Surroundings): boolean {
  if (mode !== 'live' || provider !== 'custom') return false
  return check === null || check.faults.length > 0 || now.getTime() - check.at.getTime() > checkedForMs
}

function notChecked({ displayName }: LintAccount, pointer: string): Finding {
  const detail = `${displayName} has not passed a check within 90 days.`
  return { severity: 'error', code: 'custom_not_checked', pointer, detail }
}

export function capabilityFindings(looked: Looked, { accounts }: Surroundings): Finding[] {
  return placedActions(looked.definition).flatMap((placed, at) => {
    if (!looked.isReached[at] || placed.action.type === 'decline') return []
    const targets = targetsOf(placed).flatMap(({ id, pointer }) => {
      const account = accounts.find((one) => one.id === id)
      return account === undefined ? [] : [{ account, pointer }]
    })
    // Accounts that are not there are told of by themselves.
    return targets.length === 0 ? [] : judge(looked, looked.reach[at] as readonly Goal[], { placed, targets })
  })
}

type Judged = {
  readonly placed: Placed
  readonly targets: readonly { readonly account: LintAccount; readonly pointer: string }[]
}

/**
 * With limits the route has made a promise, and every payment within them needs an account. Without any it has
 * promised nothing, and each account only has to be good for something.
 */
function judge(looked: Looked, reach: readonly Goal[], { placed, targets }: Judged): Finding[] {
  const { universe, definition } = looked
  const { limits } = definition
  const takes = (account: LintAccount, wanted: boolean): Goal => {
    return { formula: universe.formulaOf(takenBy(account)), wanted }
  }
  const promised = limits === null ? [] : [{ formula: universe.formulaOf(promisedBy(limits)), wanted: true }]
  const good = targets.filter(({ account }) => universe.find([...reach, takes(account, true)]).is !== 'no')
  if (good.length === 0) return [noneTakes(placed, 'anything that gets here')]
  if (limits !== null) {
    const left = universe.find([
      ...promised,
      ...reach,
      ...targets.map(({ account }) => takes(account, false)),
    ])
    if (left.is === 'yes') return [noneTakes(placed, `a payment within the limits: ${wordsOf(left.example)}`)]
  }
  return targets.flatMap(({ account, pointer }): Finding[] => {
    if (!good.some((one) => one.account === account)) {
      return [someIncapable(account, pointer, 'can take nothing that gets here')]
    }
    if (limits === null) return []
    const missed = universe.find([...promised, ...reach, takes(account, false)])
    if (missed.is !== 'yes') return []
    return [someIncapable(account, pointer, `cannot take ${wordsOf(missed.example)}`)]
  })
}

function noneTakes({ pointer }: Placed, what: string): Finding {
  const detail = `No account here can take ${what}.`
  return { severity: 'error', code: 'no_capable_target', pointer, detail }
}

function someIncapable({ displayName }: LintAccount, pointer: string, what: string): Finding {
  return { severity: 'warning', code: 'some_targets_incapable', pointer, detail: `${displayName} ${what}.` }
}
