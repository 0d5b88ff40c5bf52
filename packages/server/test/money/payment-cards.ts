// The cards and bank accounts that payments use. If all accounts are simulators, all payments use the same
// card, and their metadata sets the outcome. Otherwise the card number or the provider token sets it.

import { testCards } from '../../../simulator/src/index.ts'
import { isScripted, tokenAccountIndex } from './account-kinds.ts'
import { create, type WorkspaceAccess } from './billing-run.ts'
import { savingCurrency } from './harness.ts'
import type { Pay, PaymentScenario } from './payment-scenario.ts'
import { type PaymentRun, requestsIn, type ScenarioRun } from './scenario-run.ts'
import { callApi } from './send-request.ts'

const details = { exp_month: 12, exp_year: new Date().getFullYear() + 4 }

function cardWith(scenario: string): object {
  const found = testCards.find((card) => card.scenario === scenario)
  if (found === undefined) throw new Error(`There is no test card with the outcome ${scenario}.`)
  return { number: found.number, ...details, cvc: '123' }
}

/** The members of a payment request that select its card or its bank account. */
export async function cardMembers(run: PaymentRun, pay: Pay): Promise<object> {
  const { workspace } = run
  if (pay.instrument === 'debit') return { token: await createDebitToken(run, pay.card) }
  const scenario = isScripted(workspace.kinds) ? 'approve' : pay.card
  if (pay.instrument === 'payment_method') return { payment_method_id: workspace.savedCards.get(scenario) }
  const account = workspace.accounts[tokenAccountIndex(workspace.kinds)]
  const token =
    pay.instrument === 'provider_token' && account !== undefined
      ? await createProviderToken(run, account, scenario)
      : await createToken(run, { type: 'card', card: cardWith(scenario) })
  return { token }
}

/** A token like those that the emulated provider issues for cards entered in its hosted fields. */
function createProviderToken(run: ScenarioRun, account: string, scenario: string): Promise<string> {
  return createToken(run, {
    type: 'provider_token',
    provider_token: {
      provider_account_id: account,
      token: `tkn_sim_${scenario.replace(':', '_')}`,
      card: { brand: 'visa', last4: '4242', ...details },
    },
  })
}

const ibans: Readonly<Record<string, string>> = {
  8000: 'DE89370400440532013000',
  8001: 'DE86370400440532018001',
  8002: 'DE59370400440532018002',
  8003: 'DE32370400440532018003',
}

function createDebitToken(run: ScenarioRun, scenario: string): Promise<string> {
  const sepa_debit = {
    iban: ibans[scenario],
    account_holder_name: 'Ada Lovelace',
    email: 'ada@example.com',
    mandate: { accepted_at: '2026-11-14T12:00:00.000Z', text_version: '2026-11' },
  }
  return createToken(run, { type: 'sepa_debit', sepa_debit })
}

async function createToken(run: ScenarioRun, payload: object): Promise<string> {
  const { text } = await callApi(run, 'POST', '/tokens', { payload })
  return JSON.parse(text).id
}

/** Saves the cards that the payments of the scenario use, before it runs. */
export async function saveCards(access: WorkspaceAccess, scenario: PaymentScenario): Promise<void> {
  const { kinds, savedCards } = access.workspace
  if (isScripted(kinds)) return
  const pays = requestsIn(scenario).filter((request): request is Pay => request.do === 'pay')
  const cards = new Set(
    pays.filter(({ instrument }) => instrument === 'payment_method').map(({ card }) => card),
  )
  for (const card of cards) if (!savedCards.has(card)) savedCards.set(card, await saveCard(access, card))
}

/**
 * Saves the card with a payment at a simulator account that the workspace has only for this purpose. The metadata sets
 * the outcome of this payment, so every card can be saved.
 */
async function saveCard(access: WorkspaceAccess, scenario: string): Promise<string> {
  const { customerId, savingRouteId } = access.workspace
  const { id: token } = await create(access, '/tokens', { type: 'card', card: cardWith(scenario) })
  const payment = await create(access, '/payments', {
    amount: 100,
    currency: savingCurrency,
    customer_id: customerId,
    token,
    save_payment_method: true,
    usage: 'off_session',
    payment_route_id: savingRouteId,
    metadata: { simulate: 'approve' },
  })
  const { payment_method_id: id } = payment as unknown as { readonly payment_method_id: string | null }
  if (id === null) throw new Error(`The card with the outcome ${scenario} was not saved.`)
  return id
}
