import type { ProviderAccount } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { dateTimeText } from '../../../format/time.ts'
import { words } from '../../../format/words.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Json } from '../../../ui/code.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { ProviderActs } from './acts.tsx'
import { CheckPanel } from './check.tsx'
import { Health } from './health.tsx'
import { StandingChip } from './standing.tsx'
import { approvalOf, percentText, standingOf } from './words.ts'

const lookMs = 10_000

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useObject(
    ['provider_account', id],
    (api, signal) => api.providerAccounts.get(id, { signal }),
    { refetchInterval: lookMs },
  )
  return (
    <PageLoaded of={found} title="Provider">
      {(account) => <Shown account={account} />}
    </PageLoaded>
  )
}

function Shown({ account }: { account: ProviderAccount }) {
  const { text, tone, reason } = standingOf(account)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Providers', to: '/provider-accounts' }, { text: account.id }]}
        title={account.display_name}
        beside={
          <>
            <Status of={account.status} />
            {account.status === 'active' && <StandingChip of={account} />}
          </>
        }
        actions={<ProviderActs account={account} />}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {text !== 'Closed' && account.status === 'active' && <Banner tone={tone}>{reason}</Banner>}
        <Columns
          main={
            <>
              <Health account={account} />
              <CheckPanel account={account} />
              <details className="rounded-panel border border-line bg-surface p-4">
                <summary className="cursor-pointer font-bold">JSON</summary>
                <div className="mt-3">
                  <Json of={account} />
                </div>
              </details>
            </>
          }
          side={
            <>
              <Details account={account} />
              <LastHour account={account} />
              <Capabilities account={account} />
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
        of={[
          ['Provider', words(account.provider)],
          ['Position', String(account.position)],
          ['Address', config.base_url],
          ['Cards', account.card_data === 'pan' ? 'Numbers' : 'Tokens only'],
          [
            'Secret',
            credentials === null
              ? 'None'
              : credentials.rotated_at === null
                ? 'Set, never rotated'
                : `Rotated ${dateTimeText(credentials.rotated_at)}`,
          ],
          ['Webhooks', <CopyButton key="webhooks" text={account.webhook_url} label="Copy address" />],
          ['Added', <Time key="added" at={account.created_at} exact />],
        ]}
      />
    </Panel>
  )
}

function LastHour({ account }: { account: ProviderAccount }) {
  const { last_hour: hour, breaker } = account.health
  return (
    <Panel title="Last hour">
      <Facts
        of={[
          ['Attempts', hour.attempts.toLocaleString('en')],
          ['Approved', percentText(approvalOf(hour))],
          ['Declined', hour.declined.toLocaleString('en')],
          ['Failed there', hour.technical.toLocaleString('en')],
          ['Unknown', hour.unknown.toLocaleString('en')],
          ['Half answered in', hour.p50_ms === null ? '–' : `${hour.p50_ms} ms`],
          ['Breaker, authorizations', breakerWords[breaker.authorize]],
          ['Breaker, the rest', breakerWords[breaker.rest]],
        ]}
      />
    </Panel>
  )
}

const breakerWords = { closed: 'Closed', open: 'Open', probing: 'Half open' } as const

function Capabilities({ account: { capabilities } }: { account: ProviderAccount }) {
  const list = (values: readonly string[] | null) => values?.join(', ') ?? 'All'
  const yes = (value: boolean) => (value ? 'Yes' : 'No')
  const { amount } = capabilities
  return (
    <Panel title="What it takes">
      <Facts
        of={[
          ['Currencies', list(capabilities.currencies?.map((code) => code.toUpperCase()) ?? null)],
          ['Brands', list(capabilities.brands)],
          ['Countries', list(capabilities.countries)],
          ['Amounts', amount === null ? 'All' : `${amount.min} to ${amount.max}, in the smallest unit`],
          ['Capture later', yes(capabilities.manual_capture)],
          ['Partial refunds', yes(capabilities.partial_refund)],
          ['3-D Secure', yes(capabilities.three_d_secure)],
          ['Without the payer', yes(capabilities.off_session)],
        ]}
      />
    </Panel>
  )
}
