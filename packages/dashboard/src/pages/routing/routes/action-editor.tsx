/** Edits where payments go: accounts in order, shares that total 100, or a decline. */
import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { RadioField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useAccountNames } from '../../accounts.ts'
import { type Action, asType, idsOf, type Share, sharesOf } from './definition.ts'
import { exactly, type Finding, Findings, under } from './findings.tsx'

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
        onChange={(type) => onChange(asType(action, type as Action['type']))}
        options={[
          { value: 'priority', text: 'Send to the first account that can take it' },
          { value: 'split', text: 'Split by weight' },
          { value: 'decline', text: 'Decline it' },
        ]}
      />
      <Findings of={exactly(findings, pointer, `${pointer}/type`)} />
      {action.type === 'priority' && <Order {...props} />}
      {action.type === 'split' && <Shares {...props} />}
    </div>
  )
}

function Order({ action, pointer, findings, onChange }: ActionProps) {
  const ids = idsOf(action)
  const set = (targets: string[]) => onChange({ ...action, targets })
  return (
    <AccountList
      label="Accounts, in order"
      ids={ids}
      pointer={`${pointer}/targets`}
      findings={findings}
      onChange={set}
    />
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
  const move = (at: number, step: 1 | -1) => {
    const next = [...ids]
    const [id] = next.splice(at, 1)
    next.splice(at + step, 0, id as string)
    onChange(next)
  }
  return (
    <div className="grid gap-2">
      <p className="font-bold">{props.label}</p>
      <Findings of={exactly(findings, pointer)} />
      <ol className="grid gap-2">
        {ids.map((id, at) => (
          <li key={id} className="grid gap-1">
            <div className="flex items-center gap-2">
              <span className="flex-1">
                {at + 1}. {nameOf(id)}
              </span>
              <IconButton
                label={`Ask ${nameOf(id)} earlier`}
                compact
                refused={at === 0 ? 'It is the first.' : null}
                onClick={() => move(at, -1)}
              >
                <ArrowUp size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={`Ask ${nameOf(id)} later`}
                compact
                refused={at === ids.length - 1 ? 'It is the last.' : null}
                onClick={() => move(at, 1)}
              >
                <ArrowDown size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={`Remove ${nameOf(id)}`}
                compact
                look="quiet"
                onClick={() => onChange(ids.filter((one) => one !== id))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </div>
            <Findings of={under(findings, `${pointer}/${at}`)} />
          </li>
        ))}
      </ol>
      <AddAccount taken={ids} add={(id) => onChange([...ids, id])} />
    </div>
  )
}

function AddAccount({ taken, add }: { taken: readonly string[]; add: (id: string) => void }) {
  const { accounts } = useAccountNames()
  const free = accounts.filter(({ id, status }) => status !== 'archived' && !taken.includes(id))
  if (free.length === 0) return null
  return (
    <div className="max-w-60">
      <SelectField
        label="Add an account"
        value=""
        onChange={(id) => id !== '' && add(id)}
        options={[
          { value: '', text: 'Choose an account' },
          ...free.map(({ id, display_name }) => ({ value: id, text: display_name })),
        ]}
      />
    </div>
  )
}

function Shares({ action, pointer, findings, onChange }: ActionProps) {
  const { nameOf } = useAccountNames()
  const shares = sharesOf(action)
  const total = shares.reduce((sum, { weight }) => sum + weight, 0)
  const set = (targets: Share[]) => onChange({ ...action, targets })
  return (
    <div className="grid gap-3">
      <p className="font-bold">
        Weights <span className={total === 100 ? 'text-ink2' : 'text-danger'}>total {total} of 100</span>
      </p>
      <Findings of={under(findings, `${pointer}/targets`)} />
      {shares.map(({ provider_account_id: id, weight }, at) => (
        <div key={id} className="flex items-end gap-2">
          <div className="max-w-60 flex-1">
            <TextField
              label={`${nameOf(id)}, in percent`}
              type="number"
              value={String(weight)}
              onChange={(typed) =>
                set(shares.map((one, index) => (index === at ? { ...one, weight: Number(typed) } : one)))
              }
            />
          </div>
          <Button look="quiet" onClick={() => set(shares.filter((_, index) => index !== at))}>
            Remove
          </Button>
        </div>
      ))}
      <AddAccount
        taken={shares.map(({ provider_account_id }) => provider_account_id)}
        add={(id) => set([...shares, { provider_account_id: id, weight: 0 }])}
      />
      <div className="max-w-60">
        <SelectField
          label="Drawn by"
          value={action.key ?? 'payment'}
          onChange={(key) => onChange({ ...action, key: key as 'payment' })}
          options={[
            { value: 'payment', text: 'each payment' },
            { value: 'customer', text: 'customer: always the same account' },
            { value: 'card', text: 'card: always the same account' },
          ]}
        />
      </div>
      <AccountList
        label="Then, when none of them can take it"
        ids={action.fallback ?? []}
        pointer={`${pointer}/fallback`}
        findings={findings}
        onChange={(fallback) => onChange({ ...action, fallback })}
      />
    </div>
  )
}
