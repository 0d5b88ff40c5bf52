// The connectors with everything that their documentation pages show.

import type { ConnectorPage } from '../../../packages/server/src/providers/connector-page.ts'
import { connectors } from '../../../packages/server/src/providers/connectors.ts'
import type {
  ConnectorConfig,
  Provider,
  Setup,
  Terms,
  Webhooks,
} from '../../../packages/server/src/providers/contract.ts'
import { termsOf } from '../../../packages/server/src/providers/terms.ts'
import { type MeasuredCuts, readMeasuredCuts } from '../../../packages/server/test/cuts/measured-cuts.ts'

export type DocumentedConnector = Terms & {
  readonly id: string
  /** The name of its folder and of its page. */
  readonly folder: string
  readonly setup: Setup
  readonly webhooks: Webhooks<ConnectorConfig> | null
  /** The terms of an account without optional settings. */
  readonly defaultTerms: Terms
  readonly page: ConnectorPage
  /** The results of lost responses; null if they were not measured. */
  readonly lostResponses: MeasuredCuts | null
  /** Why a card vault cannot put the card number into its calls; null if it can. */
  readonly vaultObstacle: string | null
}

export function loadConnectors(): Promise<readonly DocumentedConnector[]> {
  return Promise.all(connectors.map(load))
}

async function load(provider: Provider<ConnectorConfig>): Promise<DocumentedConnector> {
  const { id, setup, webhooks = null, capabilities, resolve, vaultObstacle = null } = provider
  const folder = id.replaceAll('_', '-')
  if (setup === undefined) throw new Error(`The connector ${id} has no setup.`)
  const { page }: { page: ConnectorPage } = await import(
    `../../../packages/server/src/providers/${folder}/page.ts`
  )
  const defaultTerms = termsOf(provider as Provider, emptyConfig)
  const lostResponses = readMeasuredCuts()[id] ?? null
  const terms = { capabilities, resolve, defaultTerms }
  return { id, folder, setup, webhooks, ...terms, page, lostResponses, vaultObstacle }
}

const emptyConfig: ConnectorConfig = {
  base_url: '',
  settings: {},
  credentials: {},
  webhook_secrets: {},
  webhook_url: '',
}
