import type { ProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useMay } from '../../../api/workspace.tsx'
import { HeatStrip } from '../../../charts/heat.tsx'
import { words } from '../../../format/words.ts'
import { Button } from '../../../ui/button.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { useAccounts } from '../../accounts.ts'
import { CreateProvider } from './create.tsx'
import { useHealth } from './health.tsx'
import { TopReasons } from './reasons.tsx'
import { StandingChip } from './standing.tsx'
import { approvalOf, cellsOf, percentText, standingOf, totalOf } from './words.ts'

/** How they fare is not told by events, so it is asked for while somebody looks. */
const lookMs = 10_000
const cellMs = 15 * 60_000

export function Page() {
  const [isMaking, setMaking] = useState(false)
  const may = useMay()
  const found = useAccounts({ refetchInterval: lookMs })
  const create = (
    <Button look="primary" refused={may('provider_accounts.create')} onClick={() => setMaking(true)}>
      Add provider
    </Button>
  )
  return (
    <>
      <PageHead title="Providers" actions={create} />
      <Loaded of={found} rows={6}>
        {(accounts) =>
          accounts.length === 0 ? (
            <Panel>
              <Empty title="There is no provider account yet." action={create}>
                Payments need at least one account that they can be sent to.
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
      <TopReasons />
      {isMaking && <CreateProvider close={() => setMaking(false)} />}
    </>
  )
}

function AccountRow({ account }: { account: ProviderAccount }) {
  const health = useHealth(account.id, 1)
  const { reason, text } = standingOf(account)
  const day = health.data === undefined ? null : totalOf(health.data.data)
  const { last_hour: hour } = account.health
  return (
    <li className="grid gap-3 rounded-panel border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="font-bold">
            <PageLink to={`/provider-accounts/${account.id}`}>{account.display_name}</PageLink>
          </h2>
          <Status of={account.status} />
          {account.status === 'active' && <StandingChip of={account} />}
          <span className="text-ink2">{words(account.provider)}</span>
        </div>
        <dl className="flex flex-wrap gap-x-6 gap-y-1">
          <Figure name="Attempts, 24 h" value={day === null ? '–' : day.attempts.toLocaleString('en')} />
          <Figure
            name="Approved, 24 h"
            value={day === null ? '–' : percentText(approvalOf({ ...day, p50_ms: null }))}
          />
          <Figure name="p50, last hour" value={hour.p50_ms === null ? '–' : `${hour.p50_ms} ms`} />
        </dl>
      </div>
      {text !== 'Closed' && <p className="text-ink2">{reason}</p>}
      <Loaded of={health} rows={1}>
        {(shown) => (
          <HeatStrip
            label={`${account.display_name}, failures of the last 24 hours by 15 minutes`}
            cells={cellsOf(shown, cellMs)}
          />
        )}
      </Loaded>
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
