import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import type { PublicRoute } from '../../../platform/http/public-routes.ts'
import {
  CreateExport,
  ExportDownload,
  ExportObject,
  ExportPath,
  JournalSettingsObject,
  present,
  presentDownload,
  presentJournalSettings,
  UpdateJournalSettings,
} from './schema.ts'
import { getJournalSettings, updateJournalSettings } from './service/journal.ts'
import {
  cancelExport,
  createDownloadLink,
  createExport,
  getExport,
  listExports,
  openDownload,
} from './service.ts'

const path = '/exports/:export_id'

export const exportOperations = (deps: Deps) => [
  operation({
    id: 'exports.create',
    method: 'POST',
    path: '/exports',
    status: 201,
    summary: 'Create an export',
    description:
      'Starts to write a file with the objects of a period in the background. Wait for the event `export.completed`, or get the export until its status is `completed`. At most 5 exports of a workspace can run concurrently.',
    body: CreateExport,
    response: ExportObject,
    errors: ['limit_reached', 'conflict', 'journal_settings_incomplete'],
    present,
    handle: ({ caller, body }) => createExport(deps, caller, body),
  }),
  operation({
    id: 'exports.list',
    method: 'GET',
    path: '/exports',
    summary: 'List exports',
    description: 'Returns exports, newest first.',
    query: PageQuery({}),
    response: PageOf(ExportObject),
    errors: ['invalid_cursor'],
    present: presentPage('/exports', present),
    handle: ({ caller, query }) => listExports(deps, caller, rangeOf('export', caller.mode, query)),
  }),
  operation({
    id: 'exports.get',
    method: 'GET',
    path,
    summary: 'Get an export',
    description: 'Returns the progress of an export, and its file once it is completed.',
    params: ExportPath,
    response: ExportObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getExport(deps, caller, params.export_id),
  }),
  operation({
    id: 'exports.download',
    method: 'GET',
    path: `${path}/download`,
    summary: 'Get a link to the file of an export',
    description: 'Returns a URL from which the file can be downloaded for 15 minutes, without an API token.',
    params: ExportPath,
    response: ExportDownload,
    errors: ['not_found', 'invalid_state'],
    present: presentDownload,
    handle: ({ caller, params }) => createDownloadLink(deps, caller, params.export_id),
  }),
  operation({
    id: 'exports.cancel',
    method: 'POST',
    path: `${path}/cancel`,
    summary: 'Cancel an export',
    description: 'Stops the export and deletes what it has written. Repeated calls return the same result.',
    params: ExportPath,
    response: ExportObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    handle: ({ caller, params }) => cancelExport(deps, caller, params.export_id),
  }),
  operation({
    id: 'journal_settings.get',
    method: 'GET',
    path: '/journal-settings',
    summary: 'Get the journal settings',
    description: 'Returns the number and the name of each account of the ledger.',
    response: JournalSettingsObject,
    present: presentJournalSettings,
    handle: ({ caller }) => getJournalSettings(deps, caller),
  }),
  operation({
    id: 'journal_settings.update',
    method: 'PUT',
    path: '/journal-settings',
    summary: 'Update the journal settings',
    description:
      'Changes numbers and names of accounts, and settings of accounting software. Other accounts stay.',
    body: UpdateJournalSettings,
    response: JournalSettingsObject,
    errors: ['conflict'],
    present: presentJournalSettings,
    handle: ({ caller, body }) => updateJournalSettings(deps, caller, body),
  }),
]

/** Downloads need no token: the link is signed. */
export const exportPublicRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'GET',
    path: '/downloads/:token',
    handle: async ({ mode, params }) => ({
      kind: 'file',
      ...(await openDownload(deps, mode, params.token ?? '')),
    }),
  },
]
