/** The API tokens. A token is shown once, when it is created or rolled; later only its first and last characters. */
import type { ApiToken } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { sentenceCase } from '../../../format/text.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { GuardedPage } from '../../../ui/page-loaded.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { CreateToken, RevokeToken, RollToken } from './actions.tsx'

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'roll' | 'revoke'; readonly token: ApiToken }
  | { readonly kind: 'shown'; readonly text: string }

export function Page() {
  return (
    <GuardedPage operation="api_tokens.list" title="API tokens">
      {() => <Tokens />}
    </GuardedPage>
  )
}

function Tokens() {
  const disabledReasonFor = useDisabledReason()
  const { workspace } = useWorkspace()
  const [open, setOpen] = useState<Open | null>(null)
  const rows = useRows(['api_token'], (api, page) => api.apiTokens.list(page))
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('api_tokens.create')}
      onClick={() => setOpen({ kind: 'create' })}
    >
      Create token
    </Button>
  )
  return (
    <>
      <PageHead title="API tokens" actions={create} />
      <div className="grid gap-4">
        <Panel flush>
          <DataTable
            label="API tokens"
            rows={rows}
            columns={[
              ...columns,
              {
                title: 'Actions',
                width: '96px',
                align: 'right',
                phone: true,
                cell: (token) => <TokenMenu token={token} open={setOpen} />,
              },
            ]}
            empty={
              <Empty title="No API tokens yet." action={create}>
                A token lets your server call the API of this workspace with the role you choose.
              </Empty>
            }
          />
        </Panel>
        <Panel title="Example request">
          <CodeBlock text={snippetOf(workspace.address)} label="curl" />
        </Panel>
        {open !== null && <Dialogs open={open} setOpen={setOpen} />}
      </div>
    </>
  )
}

function Dialogs({ open, setOpen }: { open: Open; setOpen: (open: Open | null) => void }) {
  const close = () => setOpen(null)
  // Replace the form with the new token, which is not stored anywhere else.
  const show = (text: string | null) => setOpen(text === null ? null : { kind: 'shown', text })
  switch (open.kind) {
    case 'create':
      return <CreateToken onCreated={show} onClose={close} />
    case 'roll':
      return <RollToken token={open.token} onCreated={show} onClose={close} />
    case 'revoke':
      return <RevokeToken token={open.token} onClose={close} />
    case 'shown':
      return (
        <ShownOnce
          title="Your token"
          intro="The token is shown only once. Store it where your server reads its secrets."
          text={open.text}
          copy="Copy token"
          onClose={close}
        />
      )
  }
}

function TokenMenu({ token, open }: { token: ApiToken; open: (open: Open) => void }) {
  const disabledReasonFor = useDisabledReason()
  if (token.status !== 'active') return null
  return (
    <Menu
      label={`More actions for ${token.name}`}
      items={[
        {
          text: 'Roll token…',
          onSelect: () => open({ kind: 'roll', token }),
          disabledReason: disabledReasonFor('api_tokens.roll'),
        },
        {
          text: 'Revoke token…',
          onSelect: () => open({ kind: 'revoke', token }),
          danger: true,
          disabledReason: disabledReasonFor('api_tokens.revoke'),
        },
      ]}
    />
  )
}

const columns: readonly Column<ApiToken>[] = [
  { title: 'Name', phone: true, cell: ({ name }) => <span title={name}>{name}</span> },
  { title: 'Status', width: '120px', phone: true, cell: ({ status }) => <Status status={status} /> },
  { title: 'Role', width: '140px', cell: ({ role, kind }) => role ?? sentenceCase(kind) },
  {
    title: 'Token',
    width: '230px',
    cell: ({ hint }) => <span className="font-mono text-compact">{hint}</span>,
  },
  { title: 'Last used', width: '130px', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  {
    title: 'Expires',
    width: '130px',
    cell: ({ expires_at }) => (expires_at === null ? 'never' : <Time at={expires_at} />),
  },
  { title: 'Created', width: '130px', cell: ({ created_at }) => <Time at={created_at} /> },
]

function snippetOf(address: string): string {
  return `curl '${address}/me' \\\n  -H "Authorization: Bearer $SWITCHYARD_TOKEN"`
}
