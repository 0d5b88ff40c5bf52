/** Edits the action of a rule: accounts in order, a weighted split, or a decline. */
import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { CheckField, RadioField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useAccountNames } from '../../accounts.ts'
import { type Action, convertAction, idsOf, type Share, sharesOf } from './definition.ts'
import { type Finding, Findings, findingsAt, findingsUnder } from './findings.tsx'

type ActionProps = {
  action: Action
  pointer: string
  findings: readonly Finding[]
  onChange: (action: Action) => void
}

export function ActionEditor(props: ActionProps) {
  const { action, pointer, findings, onChange } = props
  return (
    <div className="grid gap-3">
      <RadioField
        legend="Then"
        value={action.type}
        onChange={(type) => onChange(convertAction(action, type as Action['type']))}
        options={[
          { value: 'priority', text: 'Send to the first eligible account' },
          { value: 'split', text: 'Split by weight' },
          { value: 'decline', text: 'Decline the payment' },
        ]}
      />
      <Findings findings={findingsAt(findings, pointer, `${pointer}/type`)} />
      {action.type === 'priority' && <PriorityEditor {...props} />}
      {action.type === 'split' && <SplitEditor {...props} />}
    </div>
  )
}

function PriorityEditor({ action, pointer, findings, onChange }: ActionProps) {
  const ids = idsOf(action)
  const set = (targets: string[]) => onChange({ ...action, targets })
  const { order_by: order, adaptive, ...fixed } = action
  return (
    <div className="grid gap-3">
      <AccountList
        label="Accounts, in order"
        ids={ids}
        pointer={`${pointer}/targets`}
        findings={findings}
        onChange={set}
      />
      {/* An adaptive order, which only the API sets, excludes an order by cost. */}
      {adaptive === undefined && (
        <CheckField
          label="Lowest estimated cost first"
          checked={order === 'estimated_cost'}
          onChange={(checked) => onChange(checked ? { ...fixed, order_by: 'estimated_cost' } : fixed)}
          hint="Estimated from the costs entered for each account. Accounts without a known cost are tried last."
        />
      )}
      <Findings findings={findingsAt(findings, `${pointer}/order_by`)} />
    </div>
  )
}

function AccountList(props: {
  label: string
  ids: readonly string[]
  pointer: string
  findings: readonly Finding[]
  onChange: (ids: string[]) => void
}) {
  const { ids, pointer, findings, onChange } = props
  const { nameOf } = useAccountNames()
  const move = (position: number, step: 1 | -1) => {
    const next = [...ids]
    const [id] = next.splice(position, 1)
    next.splice(position + step, 0, id as string)
    onChange(next)
  }
  return (
    <div className="grid gap-2">
      <p className="font-bold">{props.label}</p>
      <Findings findings={findingsAt(findings, pointer)} />
      <ol className="grid gap-2">
        {ids.map((id, position) => (
          <li key={id} className="grid gap-1">
            <div className="flex items-center gap-2">
              <span className="flex-1">
                {position + 1}. {nameOf(id)}
              </span>
              <IconButton
                label={`Move ${nameOf(id)} up`}
                compact
                disabledReason={position === 0 ? 'Already first.' : null}
                onClick={() => move(position, -1)}
              >
                <ArrowUp size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={`Move ${nameOf(id)} down`}
                compact
                disabledReason={position === ids.length - 1 ? 'Already last.' : null}
                onClick={() => move(position, 1)}
              >
                <ArrowDown size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={`Remove ${nameOf(id)}`}
                compact
                variant="quiet"
                onClick={() => onChange(ids.filter((one) => one !== id))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </div>
            <Findings findings={findingsUnder(findings, `${pointer}/${position}`)} />
          </li>
        ))}
      </ol>
      <AddAccount excluded={ids} add={(id) => onChange([...ids, id])} />
    </div>
  )
}

function AddAccount({ excluded, add }: { excluded: readonly string[]; add: (id: string) => void }) {
  const { accounts } = useAccountNames()
  const available = accounts.filter(({ id, status }) => status !== 'archived' && !excluded.includes(id))
  if (available.length === 0) return null
  return (
    <div className="max-w-60">
      <SelectField
        label="Add account"
        value=""
        onChange={(id) => id !== '' && add(id)}
        options={[
          { value: '', text: 'Choose an account' },
          ...available.map(({ id, display_name }) => ({ value: id, text: display_name })),
        ]}
      />
    </div>
  )
}

function SplitEditor({ action, pointer, findings, onChange }: ActionProps) {
  const { nameOf } = useAccountNames()
  const shares = sharesOf(action)
  const total = shares.reduce((sum, { weight }) => sum + weight, 0)
  const set = (targets: Share[]) => onChange({ ...action, targets })
  return (
    <div className="grid gap-3">
      <p className="font-bold">
        Weights <span className={total === 100 ? 'text-ink2' : 'text-danger'}>total {total} of 100</span>
      </p>
      <Findings findings={findingsUnder(findings, `${pointer}/targets`)} />
      {shares.map(({ provider_account_id: id, weight }, position) => (
        <div key={id} className="flex items-end gap-2">
          <div className="max-w-60 flex-1">
            <TextField
              label={`${nameOf(id)}, in percent`}
              type="number"
              value={String(weight)}
              onChange={(typed) =>
                set(
                  shares.map((one, index) => (index === position ? { ...one, weight: Number(typed) } : one)),
                )
              }
            />
          </div>
          <Button variant="quiet" onClick={() => set(shares.filter((_, index) => index !== position))}>
            Remove
          </Button>
        </div>
      ))}
      <AddAccount
        excluded={shares.map(({ provider_account_id }) => provider_account_id)}
        add={(id) => set([...shares, { provider_account_id: id, weight: 0 }])}
      />
      <div className="max-w-60">
        <SelectField
          label="Split by"
          value={action.key ?? 'payment'}
          onChange={(key) => onChange({ ...action, key: key as 'payment' })}
          options={[
            { value: 'payment', text: 'payment' },
            { value: 'customer', text: 'customer (always the same account)' },
            { value: 'card', text: 'card (always the same account)' },
          ]}
        />
      </div>
      <AccountList
        label="Fallback, if none of them is eligible"
        ids={action.fallback ?? []}
        pointer={`${pointer}/fallback`}
        findings={findings}
        onChange={(fallback) => onChange({ ...action, fallback })}
      />
    </div>
  )
}
