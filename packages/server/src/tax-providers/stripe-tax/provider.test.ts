// Runs the conformance suite, and compares the calls with those of the official client of Stripe.

import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { conformanceOfTax } from '../conformance.ts'
import { kit } from './fixtures/kit.ts'
import { apiVersion, stripeTax } from './provider.ts'

test.each(conformanceOfTax(stripeTax, kit))('$name', ({ fault }) => {
  expect(fault()).toBeNull()
})

/** What the official client sends for these parameters. */
async function sentByClient(call: (stripe: Stripe) => Promise<unknown>) {
  const sent: { url: string; pairs: [string, string][] }[] = []
  const fetchFn = async (url: string | URL | Request, init?: RequestInit) => {
    const pairs = [...new URLSearchParams(String(init?.body ?? ''))] as [string, string][]
    sent.push({ url: String(url), pairs: pairs.toSorted() })
    return new Response('{}', { status: 200, headers: { 'content-type': 'application/json' } })
  }
  const httpClient = Stripe.createFetchHttpClient(fetchFn as typeof fetch)
  await call(new Stripe('sk_test_1234567890', { httpClient, telemetry: false }))
  return sent[0]
}

const ours = (step: 'quote' | 'commit' | 'reverse') => {
  const { url, body } = kit.calls.find((call) => call.step === step)?.call ?? { url: '', body: '' }
  return { url, pairs: ([...new URLSearchParams(body ?? '')] as [string, string][]).toSorted() }
}

test('calls equal the calls of the official client, whose types check the parameters', async () => {
  const { input } = kit.quote
  const [first, second] = input.lines
  const address = (party: typeof input.seller) => {
    const { line1, city, state, postal_code, country } = party.address ?? {}
    return {
      line1: line1 ?? '',
      city: city ?? '',
      state: state ?? '',
      postal_code: postal_code ?? '',
      country: country ?? '',
    }
  }
  const calculation = {
    currency: 'usd',
    customer_details: {
      address: address(input.customer),
      address_source: 'billing',
      taxability_override: 'none',
    },
    ship_from_details: { address: address(input.seller) },
    line_items: [
      { amount: 10_000, quantity: 2, reference: first?.reference ?? '', tax_behavior: 'exclusive' },
      {
        amount: 2500,
        quantity: 1,
        reference: second?.reference ?? '',
        tax_behavior: 'inclusive',
        tax_code: 'P0000000',
      },
    ],
    expand: ['line_items'],
  } satisfies Stripe.Tax.CalculationCreateParams
  const sale = {
    calculation: kit.commit.quote.ref ?? '',
    reference: kit.commit.reference,
    expand: ['line_items'],
  } satisfies Stripe.Tax.TransactionCreateFromCalculationParams
  const [reversed] = kit.reverse.lines
  const reversal = {
    mode: 'partial',
    original_transaction: kit.reverse.original.record.ref,
    reference: kit.reverse.reference,
    line_items: [
      {
        amount: -5000,
        amount_tax: -388,
        original_line_item: 'tax_li_QExample1',
        reference: `${kit.reverse.reference} ${reversed?.reference}`,
      },
    ],
    expand: ['line_items'],
  } satisfies Stripe.Tax.TransactionCreateReversalParams

  expect(await sentByClient((stripe) => stripe.tax.calculations.create(calculation))).toEqual(ours('quote'))
  expect(await sentByClient((stripe) => stripe.tax.transactions.createFromCalculation(sale))).toEqual(
    ours('commit'),
  )
  expect(await sentByClient((stripe) => stripe.tax.transactions.createReversal(reversal))).toEqual(
    ours('reverse'),
  )
  expect(apiVersion).toBe(Stripe.API_VERSION)
})
