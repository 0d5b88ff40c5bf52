// The kinds of scenarios, and how each kind is generated and run.

import type { BillingScenario } from './billing-scenario.ts'
import { generateBillingScenario } from './generate-billing-scenario.ts'
import { generatePaymentScenario } from './generate-payment-scenario.ts'
import type { Harness } from './harness.ts'
import type { PaymentScenario } from './payment-scenario.ts'
import { runBillingScenario } from './run-billing-scenario.ts'
import { runPaymentScenario } from './run-payment-scenario.ts'
import type { RunResult } from './scenario-run.ts'

export const kinds = ['payments', 'billing'] as const
export type Kind = (typeof kinds)[number]
export type Scenario = PaymentScenario | BillingScenario

export function generateScenario(kind: Kind, seed: number, index: number): Scenario {
  return kind === 'payments' ? generatePaymentScenario(seed, index) : generateBillingScenario(seed, index)
}

export function runScenario(harness: Harness, scenario: Scenario): Promise<RunResult> {
  return scenario.kind === 'payments'
    ? runPaymentScenario(harness, scenario)
    : runBillingScenario(harness, scenario)
}
