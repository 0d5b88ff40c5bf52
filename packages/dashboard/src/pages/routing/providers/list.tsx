import type { ProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { ApprovalStrip } from '../../../metrics/approval.tsx'
import { rateOf, rateText } from '../../../metrics/rates.ts'
import { FailureReasons } from '../../../metrics/reasons.tsx'
import { usePaymentsReport } from '../../../metrics/reports.ts'
import { providerDayOf } from '../../../metrics/totals.ts'
import { Button } from '../../../ui/button.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { useAccounts } from '../../accounts.ts'
import { healthOf } from './account-health.ts'
import { CreateProvider } from './create.tsx'
import { HealthChip } from './health-chip.tsx'
import { ProviderName } from './provider-name.tsx'

/** Events do not report health, so the page polls. */
const pollMs = 10_000

export function Page() {
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const accountsQuery = useAccounts({ refetchInterval: pollMs })
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('provider_accounts.create')}
      onClick={() => setCreating(true)}
    >
      Add provider
    </Button>
  )
  return (
    <>
      <PageHead title="Providers" actions={create} />
      <Loaded query={accountsQuery} rows={6}>
        {(accounts) =>
          accounts.length === 0 ? (
            <Panel>
              <Empty title="No provider accounts yet." action={create}>
                Add at least one account to process payments.
              </Empty>
            </Panel>
          ) : (
            <ul className="mb-4 grid gap-4" aria-label="Provider accounts">
              {accounts
                .toSorted((a, b) => a.position - b.position)
                .map((account) => (
                  <AccountRow key={account.id} account={account} />
                ))}
            </ul>
          )
        }
      </Loaded>
      <FailureReasons />
      {isCreating && <CreateProvider close={() => setCreating(false)} />}
    </>
  )
}

function AccountRow({ account }: { account: ProviderAccount }) {
  const report = usePaymentsReport('provider_account')
  const { reason, text } = healthOf(account)
  const day = report.data === undefined ? null : providerDayOf(report.data.data, account.id, Date.now())
  const { last_hour: hour } = account.health
  return (
    <li className="grid gap-3 rounded-panel border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="font-bold">
            <PageLink to={`/provider-accounts/${account.id}`}>{account.display_name}</PageLink>
          </h2>
          <Status status={account.status} />
          {account.status === 'active' && <HealthChip account={account} />}
          <ProviderName account={account} />
        </div>
        <dl className="flex flex-wrap gap-x-6 gap-y-1">
          <Figure name="Attempts, 24 h" value={day === null ? '–' : day.attempts.toLocaleString('en')} />
          <Figure
            name="Approved, 24 h"
            value={rateText(day === null ? null : rateOf(day.approved, day.attempts))}
          />
          <Figure name="Median response, 1 h" value={hour.p50_ms === null ? '–' : `${hour.p50_ms} ms`} />
        </dl>
      </div>
      {text !== 'Healthy' && <p className="text-ink2">{reason}</p>}
      {day !== null && <ApprovalStrip day={day} name={account.display_name} />}
    </li>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="grid text-right">
      <dt className="text-compact text-ink2">{name}</dt>
      <dd className="font-bold">{value}</dd>
    </div>
  )
}
