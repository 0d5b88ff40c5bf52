/** The tokens of the API. A token is shown once, when it is made or rolled; afterwards only its ends are known. */
import type { ApiToken } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useHere, useMay } from '../../../api/workspace.tsx'
import { words } from '../../../format/words.ts'
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
import { CreateToken, RevokeToken, RollToken } from './acts.tsx'

type Open =
  | { readonly is: 'create' }
  | { readonly is: 'roll' | 'revoke'; readonly token: ApiToken }
  | { readonly is: 'shown'; readonly text: string }

export function Page() {
  return (
    <GuardedPage operation="api_tokens.list" title="API tokens">
      {() => <Tokens />}
    </GuardedPage>
  )
}

function Tokens() {
  const may = useMay()
  const { workspace } = useHere()
  const [open, setOpen] = useState<Open | null>(null)
  const rows = useRows(['api_token'], (api, page) => api.apiTokens.list(page))
  const create = (
    <Button look="primary" refused={may('api_tokens.create')} onClick={() => setOpen({ is: 'create' })}>
      Make a token
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
                cell: (token) => <Acts token={token} open={setOpen} />,
              },
            ]}
            empty={
              <Empty title="No token yet." action={create}>
                A token lets a server of yours call this workspace, with the role you give it.
              </Empty>
            }
          />
        </Panel>
        <Panel title="How to call">
          <CodeBlock text={snippetOf(workspace.address)} label="curl" />
        </Panel>
        {open !== null && <Dialogs open={open} setOpen={setOpen} />}
      </div>
    </>
  )
}

function Dialogs({ open, setOpen }: { open: Open; setOpen: (open: Open | null) => void }) {
  const close = () => setOpen(null)
  // The form is left for the text that it got, which is in no other place.
  const show = (text: string | null) => setOpen(text === null ? null : { is: 'shown', text })
  switch (open.is) {
    case 'create':
      return <CreateToken onMade={show} onClose={close} />
    case 'roll':
      return <RollToken token={open.token} onMade={show} onClose={close} />
    case 'revoke':
      return <RevokeToken token={open.token} onClose={close} />
    case 'shown':
      return (
        <ShownOnce
          title="Your token"
          intro="It is shown this once. Keep it where your server reads its secrets."
          text={open.text}
          copy="Copy the token"
          onClose={close}
        />
      )
  }
}

function Acts({ token, open }: { token: ApiToken; open: (open: Open) => void }) {
  const may = useMay()
  if (token.status !== 'active') return null
  return (
    <Menu
      label={`More for ${token.name}`}
      items={[
        { text: 'Roll…', onSelect: () => open({ is: 'roll', token }), refused: may('api_tokens.roll') },
        {
          text: 'Revoke…',
          onSelect: () => open({ is: 'revoke', token }),
          danger: true,
          refused: may('api_tokens.revoke'),
        },
      ]}
    />
  )
}

const columns: readonly Column<ApiToken>[] = [
  { title: 'Name', phone: true, cell: ({ name }) => <span title={name}>{name}</span> },
  { title: 'Status', width: '120px', phone: true, cell: ({ status }) => <Status of={status} /> },
  { title: 'Role', width: '140px', cell: ({ role, kind }) => role ?? words(kind) },
  {
    title: 'Token',
    width: '230px',
    cell: ({ hint }) => <span className="font-mono text-compact">{hint}</span>,
  },
  { title: 'Last used', width: '130px', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  {
    title: 'Ends',
    width: '130px',
    cell: ({ expires_at }) => (expires_at === null ? 'never' : <Time at={expires_at} />),
  },
  { title: 'Made', width: '130px', cell: ({ created_at }) => <Time at={created_at} /> },
]

function snippetOf(address: string): string {
  return `curl '${address}/me' \\\n  -H "Authorization: Bearer $SWITCHYARD_TOKEN"`
}
