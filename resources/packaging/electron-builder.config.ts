import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses'
import { type AfterPackContext, Arch, type Configuration } from 'electron-builder'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { thirdPartyNotices } from './notices.ts'

/** The package's update feed; null for packages that never update. */
function feedOf(url: string | undefined): string | null {
  if (!url) return null
  if (URL.parse(url)?.protocol === 'https:') return url
  throw new Error(`SWITCHBOARD_UPDATE_URL must be an https address, not "${url}". Nothing was packed.`)
}

/**
 * The app's files for one target: the build and two native modules with one prebuilt binary each. Per target,
 * because the builder's ${platform} is the system it runs on.
 */
const filesFor = (platform: string) => [
  'out/{main,preload,renderer}/**',
  '!out/*/{manifest,licenses}.json',
  '!**/*.map',
  '!**/node_modules/!(better-sqlite3|keytar){,/**}',
  '!**/node_modules/better-sqlite3/{src,deps,build,binding.gyp,README.md}{,/**}',
  `!**/node_modules/better-sqlite3/prebuilds/!(${platform}-\${arch}.node)`,
  '!**/node_modules/keytar/{src,script,build,binding.gyp,README.md,keytar.d.ts}{,/**}',
  `!**/node_modules/keytar/prebuilds/!(${platform}-\${arch}){,/**}`,
]

/** Lists every fuse, so an Electron with a new fuse fails the build. */
export const fuses = {
  version: FuseVersion.V1,
  strictlyRequireAllFuses: true,
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  [FuseV1Options.WasmTrapHandlers]: true,
} as const

/**
 * Apple silicon starts nothing without a valid signature. Flipping the fuses breaks Electron's own, so packages that nobody signs need a
 * new one, which only a Mac can make. A real signature replaces it.
 */
export const needsNewSignature = (platform: string, arch: Arch, host: string): boolean =>
  platform === 'darwin' && arch === Arch.arm64 && host === 'darwin'

/** Runs before signing. The builder's own `electronFuses` has no strict mode and lacks the newest fuse. */
async function flip({ appOutDir, electronPlatformName, arch, packager }: AfterPackContext): Promise<void> {
  const name = packager.appInfo.productFilename
  const binaries: Record<string, string> = {
    darwin: `${name}.app`,
    win32: `${name}.exe`,
    linux: executableName,
  }
  const resetAdHocDarwinSignature = needsNewSignature(electronPlatformName, arch, process.platform)
  await flipFuses(join(appOutDir, binaries[electronPlatformName]!), { ...fuses, resetAdHocDarwinSignature })
}

const notices = 'out/THIRD_PARTY_NOTICES.txt'

async function writeNotices({ packager }: Pick<AfterPackContext, 'packager'>): Promise<void> {
  writeFileSync(join(packager.projectDir, notices), thirdPartyNotices(packager.projectDir))
}

const executableName = 'switchboard'
const updateFeed = feedOf(process.env['SWITCHBOARD_UPDATE_URL'])

/** Kinds of files that the import opens. `installer.nsh` has the same for Windows. */
const openedFiles = [
  { ext: 'csv', name: 'CSV file', mimeType: 'text/csv' },
  {
    ext: 'xlsx',
    name: 'Excel workbook',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  {
    ext: 'ods',
    name: 'OpenDocument spreadsheet',
    mimeType: 'application/vnd.oasis.opendocument.spreadsheet',
  },
  { ext: 'vcf', name: 'Contact card', mimeType: 'text/vcard' },
]

const config: Configuration = {
  // As in electron/hosts/electron/main.ts: Windows ties notifications and the taskbar to it.
  appId: 'app.switchboard.console',
  productName: 'Switchboard',
  directories: { buildResources: 'resources/packaging', output: 'dist' },
  artifactName: '${name}-${version}-${os}-${arch}.${ext}',
  // Electron loads native modules only from real files. Their scripts stay in the archive, under the
  // integrity check.
  asar: { smartUnpack: false },
  asarUnpack: ['**/*.node'],
  npmRebuild: false,
  beforePack: writeNotices,
  // Opened from the Help menu.
  extraResources: [
    { from: notices, to: 'THIRD_PARTY_NOTICES.txt' },
    { from: 'README.md', to: 'README.md' },
  ],
  afterPack: flip,
  publish: updateFeed === null ? null : { provider: 'generic', url: updateFeed },
  protocols: [{ name: 'Switchboard link', schemes: ['switchboard'], role: 'Viewer' }],
  linux: {
    target: ['AppImage', 'deb'],
    executableName,
    files: filesFor('linux'),
    icon: 'icons',
    category: 'Network;Office',
    synopsis: 'Operations console for a messaging service',
    maintainer: 'Switchboard <packages@switchboard.example>',
    // Offers Switchboard for tables without becoming their default.
    mimeTypes: openedFiles.map(({ mimeType }) => mimeType),
    syncDesktopName: true,
  },
  // Keeps Electron's sandbox on: the older tool set starts the app with --no-sandbox.
  toolsets: { appimage: '1.0.3' },
  appImage: { executableArgs: [] },
  win: { target: ['nsis'], files: filesFor('win32'), icon: 'icon.ico' },
  nsis: { include: 'resources/packaging/installer.nsh' },
  mac: {
    // The update needs the zip.
    target: ['dmg', 'zip'],
    files: filesFor('darwin'),
    icon: 'icon.icns',
    category: 'public.app-category.business',
    hardenedRuntime: true,
    gatekeeperAssess: false,
    entitlements: 'resources/packaging/entitlements.mac.plist',
    entitlementsInherit: 'resources/packaging/entitlements.mac.plist',
    fileAssociations: openedFiles.map((kind) => ({ ...kind, role: 'Viewer', rank: 'Alternate' })),
  },
}

export default config
