/**
 * Whether the domain of the sender has the DNS records SPF, DKIM and DMARC. Without them receivers reject
 * e-mails, or treat them as spam. SPF applies to the domain of the return path, which also needs a mail
 * server that receives returned e-mails.
 */
import { domainOf } from '../platform/mail.ts'
import { type Check, type CheckFinding, ok, warn } from './check.ts'

const advice =
  'Add the DNS records that your mail service lists for this domain. Until then, receivers may reject e-mails to payers.'

type Lookup = (name: string) => Promise<readonly string[]>

const mailDomain: Check = {
  id: 'mail_domain',
  title: 'E-mail domain',
  async run({ config: { mail }, machine }) {
    if (mail.smtpUrl === null) return ok('No e-mails are sent, because SMTP_URL is not set.')
    const { returnPath } = mail.events
    const lookup: Lookup = (name) => machine.txtRecords(name, mail.dnsServer)
    const senderDomain = domainOf(mail.from)
    const returnDomain = domainOf(returnPath ?? mail.from)
    const faults = await Promise.all([
      lookup(returnDomain).then((records) => spfFault(returnDomain, records)),
      returnPath === null
        ? null
        : machine.mxRecords(returnDomain, mail.dnsServer).then((hosts) => mxFault(returnDomain, hosts)),
      findDmarc(senderDomain, lookup).then((records) => dmarcFault(senderDomain, records)),
      ...mail.dkimSelectors.map(async (selector) => {
        const name = `${selector}._domainkey.${senderDomain}`
        return dkimFault(name, await lookup(name))
      }),
    ])
    return findingOf(senderDomain, faults, mail.dkimSelectors.length > 0)
  },
}

function findingOf(domain: string, faults: readonly (string | null)[], hasSelectors: boolean): CheckFinding {
  const found = faults.filter((fault) => fault !== null)
  if (found.length > 0) return warn(found.join(' '), advice)
  if (hasSelectors) return ok(`${domain} has valid SPF, DKIM and DMARC records.`)
  return ok(
    `${domain} has valid SPF and DMARC records. DKIM is not checked, because MAIL_DKIM_SELECTORS is not set.`,
  )
}

function mxFault(domain: string, hosts: readonly string[]): string | null {
  return hosts.length > 0
    ? null
    : `${domain} has no MX record, so e-mails cannot be returned to MAIL_RETURN_PATH, and bounces are not recorded.`
}

function spfFault(domain: string, records: readonly string[]): string | null {
  const spf = records.filter((record) => /^v=spf1( |$)/i.test(record))
  const [first] = spf
  if (first === undefined) return `${domain} has no SPF record.`
  if (spf.length > 1) return `${domain} has ${spf.length} SPF records, so receivers ignore all of them.`
  return / \+?all( |$)/i.test(first)
    ? `The SPF record of ${domain} allows every server to send for it.`
    : null
}

/** The record of the domain, or else of the domains above it. A top-level domain has none. */
async function findDmarc(domain: string, lookup: Lookup): Promise<readonly string[]> {
  const records = (await lookup(`_dmarc.${domain}`)).filter((record) => /^v=DMARC1\s*(;|$)/i.test(record))
  const [, ...parent] = domain.split('.')
  return records.length > 0 || parent.length < 2 ? records : findDmarc(parent.join('.'), lookup)
}

function dmarcFault(domain: string, records: readonly string[]): string | null {
  const [first] = records
  if (first === undefined) return `${domain} has no DMARC record.`
  if (records.length > 1)
    return `${domain} has ${records.length} DMARC records, so receivers ignore all of them.`
  return /;\s*p\s*=\s*(none|quarantine|reject)\s*(;|$)/i.test(first)
    ? null
    : `The DMARC record of ${domain} has no valid policy (p).`
}

function dkimFault(name: string, records: readonly string[]): string | null {
  const [first] = records.filter((record) => /(^|;)\s*p\s*=/i.test(record))
  if (first === undefined) return `There is no DKIM record at ${name}.`
  return /(^|;)\s*p\s*=\s*[A-Za-z0-9+/]/i.test(first) ? null : `The DKIM key at ${name} is revoked.`
}

export const mailChecks = [mailDomain]
