/** Where the money is: at each provider, owed by customers, and owed to them. All accounts are shown on request. */
import type { Balance } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject } from '../../api/queries.ts'
import { dayCheck } from '../../format/filter-check.ts'
import { moneyText } from '../../format/money.ts'
import { sentenceCase } from '../../format/text.ts'
import { dateText } from '../../format/time.ts'
import { ObjectLink } from '../../shell/object-link.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { type Filter, FilterBar, useFilters } from '../../ui/filters.tsx'
import { PageLink } from '../../ui/link.tsx'
import { NothingFound } from '../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, PlainTable } from '../../ui/table.tsx'
import { Money } from '../../ui/values.tsx'
import { type NameOf, useAccountName } from '../accounts.ts'
import {
  type BalanceLine,
  balanceLines,
  type Money as MoneyAmount,
  type ProviderBalance,
  providerBalances,
  totalsByCurrency,
} from './balance-text.ts'
import { Payouts } from './payouts.tsx'

const filters: readonly Filter[] = [
  {
    name: 'as_of',
    label: 'As of',
    type: 'date',
    placeholder: 'YYYY-MM-DD',
    check: dayCheck,
  },
]
/** Changes to balances emit no events, so the page polls. */
const refetchMs = 15_000

export function Page() {
  const { filterValues } = useFilters(filters)
  const asOf = filterValues.as_of
  const balances = useObject(
    ['balance', asOf ?? 'now'],
    (api) => api.balances.list(asOf === undefined ? {} : { as_of: asOf }).page(),
    { refetchInterval: refetchMs },
  )
  return (
    <>
      <PageHead
        title="Balances"
        actions={
          <PageLink to="/exports" search={{ of: 'journal' }}>
            Export journal
          </PageLink>
        }
      >
        <p className="mt-1 max-w-180 text-ink2">
          Sums of all movements of money in the ledger
          {asOf === undefined ? ', as of now.' : `, at the end of ${dateText(asOf, true)} (UTC).`}
        </p>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Panel flush>
          <FilterBar filters={filters} />
          <Loaded query={balances}>
            {({ data }) => (data.length === 0 ? <NoBalances /> : <Summary balances={data} />)}
          </Loaded>
        </Panel>
        <Payouts />
        {balances.data !== undefined && balances.data.data.length > 0 && (
          <AllAccounts balances={balances.data.data} />
        )}
      </div>
    </>
  )
}

function NoBalances() {
  return (
    <NothingFound
      filters={filters}
      title="No money has moved yet."
      action={<PageLink to="/payments">Go to payments</PageLink>}
    />
  )
}

function Summary({ balances }: { balances: readonly Balance[] }) {
  const nameOf = useAccountName()
  return (
    <>
      <SectionHead title="At your providers">
        Captured minus refunded. Fees and payouts are subtracted when their settlement report is imported.
      </SectionHead>
      <PlainTable
        label="At your providers"
        columns={providerColumns(nameOf)}
        rows={providerBalances(balances)}
        keyOf={({ accountId }) => accountId}
        empty="No provider has captured money."
      />
      <SectionHead title="Owed by and to customers" />
      <PlainTable
        label="Owed by and to customers"
        columns={lineColumns}
        rows={balanceLines(balances)}
        keyOf={({ title }) => title}
      />
    </>
  )
}

function SectionHead({ title, children }: { title: string; children?: string }) {
  return (
    <div className="border-b border-line px-4 pt-4 pb-2">
      <h2 className="font-bold">{title}</h2>
      {children !== undefined && <p className="text-compact text-ink2">{children}</p>}
    </div>
  )
}

const providerColumns = (nameOf: NameOf): readonly Column<ProviderBalance>[] => [
  {
    title: 'Provider account',
    phone: true,
    cell: ({ accountId }) => <ObjectLink id={accountId}>{nameOf(accountId)}</ObjectLink>,
  },
  {
    title: 'Balance',
    align: 'right',
    phone: true,
    cell: ({ amounts }) => <Amounts amounts={amounts} />,
  },
]

const lineColumns: readonly Column<BalanceLine>[] = [
  {
    title: 'What it is',
    phone: true,
    cell: ({ title, explanation }) => (
      <>
        {title}
        <span className="block text-compact text-ink2">{explanation}</span>
      </>
    ),
  },
  {
    title: 'Balance',
    align: 'right',
    phone: true,
    cell: ({ amounts }) => <Amounts amounts={amounts} />,
  },
]

/** One amount per currency, each on its own line. */
function Amounts({ amounts }: { amounts: readonly MoneyAmount[] }) {
  if (amounts.length === 0) return <span className="text-ink3">None</span>
  return (
    <span className="grid justify-items-end">
      {amounts.map(({ amount, currency }) => (
        <Money key={currency} amount={amount} currency={currency} showCode />
      ))}
    </span>
  )
}

function AllAccounts({ balances }: { balances: readonly Balance[] }) {
  const nameOf = useAccountName()
  const [isShown, setShown] = useState(false)
  return (
    <Panel title="Accounts of the ledger" flush>
      <div className="border-b border-line px-4 py-2 last:border-0">
        <CheckField
          label="Show debit and credit accounts"
          hint="The debit balances and the credit balances of a currency have the same sum."
          checked={isShown}
          onChange={setShown}
        />
      </div>
      {isShown && (
        <>
          <PlainTable
            label="Accounts of the ledger"
            columns={accountColumns(nameOf)}
            rows={balances}
            keyOf={({ account, currency, provider_account_id: id }) => `${account} ${currency} ${id}`}
          />
          <p className="border-t border-line px-4 py-2 text-ink2">
            Sum of each side:{' '}
            {totalsByCurrency(balances)
              .map(({ amount, currency }) => `${moneyText(amount, currency)} ${currency.toUpperCase()}`)
              .join(', ')}
          </p>
        </>
      )}
    </Panel>
  )
}

const accountColumns = (nameOf: NameOf): readonly Column<Balance>[] => [
  {
    title: 'Account',
    phone: true,
    cell: ({ account, provider_account_id: id }) =>
      sentenceCase(account) + (id === null ? '' : `, ${nameOf(id)}`),
  },
  { title: 'Currency', cell: ({ currency }) => currency.toUpperCase() },
  {
    title: 'Debit',
    align: 'right',
    phone: true,
    cell: (balance) => <SideAmount balance={balance} side="debit" />,
  },
  {
    title: 'Credit',
    align: 'right',
    phone: true,
    cell: (balance) => <SideAmount balance={balance} side="credit" />,
  },
]

function SideAmount({ balance, side }: { balance: Balance; side: Balance['side'] }) {
  return balance.side === side ? <Money amount={balance.amount} currency={balance.currency} /> : null
}
