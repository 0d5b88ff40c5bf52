/** Chooses the scenario of an operation: by a script, the approval rate, required 3-D Secure, or the card. */
import { bankAccountIn, scenarioOfBankAccount } from './bank-accounts.ts'
import { scenarioOfNumber } from './cards.ts'
import { isDeclinedAtRandom } from './config.ts'
import type { ErrorDetails, OperationRequest } from './protocol.ts'
import { usesCard } from './protocol.ts'
import { behaviourOf, readScript } from './scenarios.ts'
import type { Account, SimulatorState } from './simulator-state.ts'

export type ScenarioChoice = {
  readonly card: string
  readonly scenario: string
  readonly script: string | null
}

export function chooseScenario(
  state: SimulatorState,
  account: Account,
  request: OperationRequest,
): ScenarioChoice | ErrorDetails {
  if (!usesCard(request.kind)) return inheritScenario(account, request)
  const card = cardScenarioOf(account, request)
  if (card === null) return { code: 'stored_credential_invalid', message: 'Unknown token.' }
  // Scripts apply to authorizations. A verification does not use up a step.
  if (request.simulate !== null && request.kind === 'authorize') {
    return nextScriptStep(state, request, request.simulate, card)
  }
  return { card, scenario: adjustScenario(account, request, card), script: null }
}

/** A capture, void or refund uses the scenario of its parent, which comes from the card of the authorization. */
function inheritScenario(account: Account, { parent_reference: parent }: OperationRequest): ScenarioChoice {
  const scenario = account.operations.get(parent ?? '')?.scenario ?? 'approve'
  return { card: scenario, scenario, script: null }
}

function cardScenarioOf(account: Account, { instrument, redirect }: OperationRequest): string | null {
  if (redirect !== null) return '3000'
  if (instrument === null) return null
  if (instrument.type === 'token') return account.tokens.get(instrument.token) ?? null
  if (instrument.type === 'card') return scenarioOfNumber(instrument.number) ?? 'decline:14'
  const bankAccount = bankAccountIn(instrument)
  return bankAccount === null ? null : (scenarioOfBankAccount(bankAccount) ?? 'decline:14')
}

/** Each authorization of a customer uses one step of the script, across all accounts. The last step repeats. */
function nextScriptStep(
  state: SimulatorState,
  request: OperationRequest,
  text: string,
  card: string,
): ScenarioChoice | ErrorDetails {
  const steps = readScript(text)
  if (steps === null) {
    return {
      code: 'provider_request_invalid',
      message: 'metadata.simulate must be a list of scenarios, such as "decline:51 x2, approve".',
    }
  }
  const script = `${request.customer_id ?? request.payment_id}|${text}`
  const usedSteps = state.scriptSteps.get(script) ?? 0
  return { card, scenario: steps[Math.min(usedSteps, steps.length - 1)] as string, script }
}

function adjustScenario(account: Account, request: OperationRequest, card: string): string {
  const requiresChallenge = behaviourOf(card, request.kind).processing.type === 'challenge'
  // The payer is not present, so there is no challenge.
  if (request.initiator === 'merchant')
    return requiresChallenge ? 'approve' : applyApprovalRate(account, request, card)
  if (card === 'approve' && request.three_d_secure === 'required') return '3000'
  return applyApprovalRate(account, request, card)
}

function applyApprovalRate(account: Account, { reference }: OperationRequest, card: string): string {
  return card === 'approve' && isDeclinedAtRandom(account.config, reference) ? 'decline:05' : card
}
