export { type CardOutcome, type TestCard, testCards } from './cards.ts'
export type { Config } from './config.ts'
export type { MoneyFact, PaymentSums } from './ledger.ts'
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts'
