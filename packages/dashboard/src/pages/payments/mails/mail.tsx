/** One e-mail: its content, and whether it was sent. */
import type { MailWithContent } from '@switchyard/sdk'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Json } from '../../../ui/code.tsx'
import { Columns, Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Time } from '../../../ui/values.tsx'
import { ObjectPage } from '../object-page.tsx'
import { MailFrame } from './frame.tsx'
import { kindName, reasonText } from './kind-text.ts'

export function Page() {
  return (
    <ObjectPage
      noun="mail"
      title="E-mail"
      list={{ text: 'E-mails', to: '/mails' }}
      read={(api, id, signal) => api.mails.get(id, { signal })}
    >
      {(mail) => <MailView mail={mail} />}
    </ObjectPage>
  )
}

function MailView({ mail }: { mail: MailWithContent }) {
  const { html, text, ...rest } = mail
  return (
    <>
      <PageHead
        crumbs={[{ text: 'E-mails', to: '/mails' }, { text: mail.id }]}
        title={mail.subject}
        titleExtra={<Status status={mail.status} />}
      />
      <Columns
        main={
          <Tabs
            label="Content of the e-mail"
            tabs={[
              {
                id: 'html',
                text: 'E-mail',
                content: () => (
                  <div className="p-4">
                    <MailFrame html={html} title={mail.subject} />
                  </div>
                ),
              },
              {
                id: 'text',
                text: 'Plain text',
                content: () => <pre className="p-4 whitespace-pre-wrap break-words font-mono">{text}</pre>,
              },
              {
                id: 'json',
                text: 'JSON',
                content: () => (
                  <div className="p-4">
                    <Json value={rest} label="mail JSON" />
                  </div>
                ),
              },
            ]}
          />
        }
        side={<Side mail={mail} />}
      />
    </>
  )
}

function Side({ mail }: { mail: MailWithContent }) {
  return (
    <Panel title="Delivery">
      <Facts
        facts={[
          ['Kind', kindName(mail.kind)],
          ['To', mail.to],
          ['Customer', mail.customer_id && <ObjectLink id={mail.customer_id} />],
          ['About', <ObjectLink key="object" id={mail.object_id} />],
          ['Reason', reasonText(mail.reason)],
          ['Attempts', mail.attempts],
          ['Next attempt', mail.due_at && <Time at={mail.due_at} exact />],
          ['Sent', mail.sent_at && <Time at={mail.sent_at} exact />],
          ['Bounced', mail.bounced_at && <Time at={mail.bounced_at} exact />],
          ['Response', mail.bounce_detail],
          ['Created', <Time key="created" at={mail.created_at} exact />],
        ]}
      />
    </Panel>
  )
}
