import type { Provider, ProviderAccount } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { dateTimeText } from '../../../format/time.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Json } from '../../../ui/code.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { healthOf } from './account-health.ts'
import { ProviderActions } from './actions.tsx'
import { CheckPanel } from './check.tsx'
import { Costs } from './costs.tsx'
import { Health } from './health.tsx'
import { HealthChip } from './health-chip.tsx'
import { isConnector, ProviderName } from './provider-name.tsx'
import { useProvider } from './providers.ts'
import { SettledCosts } from './settled-costs.tsx'
import { WebhookSetupPanel } from './webhook-setup.tsx'

const pollMs = 10_000

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(
    ['provider_account', id],
    (api, signal) => api.providerAccounts.get(id, { signal }),
    { refetchInterval: pollMs },
  )
  return (
    <PageLoaded query={query} title="Provider">
      {(account) => <ProviderView account={account} />}
    </PageLoaded>
  )
}

function ProviderView({ account }: { account: ProviderAccount }) {
  const { text, tone, reason } = healthOf(account)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Providers', to: '/provider-accounts' }, { text: account.id }]}
        title={account.display_name}
        titleExtra={
          <>
            <Status status={account.status} />
            {account.status === 'active' && <HealthChip account={account} />}
          </>
        }
        actions={<ProviderActions account={account} />}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {text !== 'Healthy' && account.status === 'active' && <Banner tone={tone}>{reason}</Banner>}
        <Columns
          main={
            <>
              <Health account={account} />
              <CheckPanel account={account} />
              {isConnector(account) && <WebhookSetupPanel account={account} />}
              <details className="rounded-panel border border-line bg-surface p-4">
                <summary className="cursor-pointer font-bold">JSON</summary>
                <div className="mt-3">
                  <Json value={account} />
                </div>
              </details>
            </>
          }
          side={
            <>
              <Details account={account} />
              <LastHour account={account} />
              <Capabilities account={account} />
              <Costs account={account} />
              <SettledCosts account={account} />
            </>
          }
        />
      </div>
    </>
  )
}

function Details({ account }: { account: ProviderAccount }) {
  const { credentials, config } = account
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['Provider', <ProviderName key="provider" account={account} />],
          ['Position', String(account.position)],
          ['Base URL', config.base_url],
          ...settingFacts(useProvider(account.provider), config.settings ?? {}),
          ['Cards', account.card_data === 'pan' ? 'Card numbers' : 'Tokens only'],
          [
            isConnector(account) ? 'Credentials' : 'Secret',
            credentials === null
              ? 'None'
              : credentials.rotated_at === null
                ? 'Set, never rotated'
                : `Rotated ${dateTimeText(credentials.rotated_at)}`,
          ],
          ['Webhooks', <CopyButton key="webhooks" text={account.webhook_url} label="Copy webhook URL" />],
          ['Added', <Time key="added" at={account.created_at} exact />],
        ]}
      />
    </Panel>
  )
}

/** The settings of a connector with their labels. */
function settingFacts(
  provider: Provider | undefined,
  settings: Readonly<Record<string, string>>,
): [string, string][] {
  const labelOf = (name: string) => provider?.settings.find((setting) => setting.name === name)?.label ?? name
  return Object.entries(settings).map(([name, value]) => [labelOf(name), value])
}

function LastHour({ account }: { account: ProviderAccount }) {
  const { last_hour: hour, breaker } = account.health
  return (
    <Panel title="Requests in the last hour">
      <Facts
        facts={[
          ['Requests', hour.attempts.toLocaleString('en')],
          ['Declined', hour.declined.toLocaleString('en')],
          ['Provider errors', hour.technical.toLocaleString('en')],
          ['Unknown', hour.unknown.toLocaleString('en')],
          ['Median response', hour.p50_ms === null ? '–' : `${hour.p50_ms} ms`],
          ['Circuit breaker, authorizations', breakerLabels[breaker.authorize]],
          ['Circuit breaker, other operations', breakerLabels[breaker.rest]],
        ]}
      />
    </Panel>
  )
}

const breakerLabels = { closed: 'Closed', open: 'Open', probing: 'Half-open' } as const

const maxListedCurrencies = 12

function Currencies({ codes }: { codes: readonly string[] | null }) {
  if (codes === null) return 'All'
  const text = codes.map((code) => code.toUpperCase()).join(', ')
  if (codes.length <= maxListedCurrencies) return text
  return (
    <details>
      <summary className="cursor-pointer">{codes.length}</summary>
      {text}
    </details>
  )
}

function Capabilities({ account: { capabilities } }: { account: ProviderAccount }) {
  const list = (values: readonly string[] | null) => values?.join(', ') ?? 'All'
  const yesOrNo = (value: boolean) => (value ? 'Yes' : 'No')
  const { amount } = capabilities
  return (
    <Panel title="Capabilities">
      <Facts
        facts={[
          ['Currencies', <Currencies key="currencies" codes={capabilities.currencies} />],
          ['Brands', list(capabilities.brands)],
          ['Countries', list(capabilities.countries)],
          ['Amounts', amount === null ? 'All' : `${amount.min} to ${amount.max} in minor units`],
          ['Manual capture', yesOrNo(capabilities.manual_capture)],
          ['Multiple captures', yesOrNo(capabilities.multi_capture)],
          ['Partial refunds', yesOrNo(capabilities.partial_refund)],
          ['3-D Secure', yesOrNo(capabilities.three_d_secure)],
          ['Off-session', yesOrNo(capabilities.off_session)],
        ]}
      />
    </Panel>
  )
}
