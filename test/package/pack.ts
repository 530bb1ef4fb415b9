import { Arch, build, Platform } from 'electron-builder'
import { join, resolve } from 'node:path'
import packaging from '../../resources/packaging/electron-builder.config.ts'
import { writeStandIn } from './stand-in.ts'

/** A packed app. */
export interface Packed {
  /** The archive of the app's files. */
  asar: string
  /** The executable; on macOS the `.app`. */
  program: string
  /** Platform and processor, as the prebuilt binaries are named. */
  target: string
}

/** Packs the built app for all three systems around stand-ins for Electron. Downloads and signs nothing. */
export async function packStandIns(folder: string): Promise<Record<'linux' | 'win32' | 'darwin', Packed>> {
  const dist = (platform: string) => join(folder, 'electron', platform)
  for (const platform of ['linux', 'win32', 'darwin']) writeStandIn(dist(platform), platform)
  const toFolder = (arch: Arch) => new Map([[arch, ['dir']]])
  await build({
    projectDir: resolve(import.meta.dirname, '../..'),
    publish: 'never',
    targets: new Map([
      [Platform.LINUX, toFolder(Arch.x64)],
      [Platform.WINDOWS, toFolder(Arch.x64)],
      [Platform.MAC, toFolder(Arch.arm64)],
    ]),
    config: {
      ...packaging,
      directories: { ...packaging.directories, output: folder },
      electronDist: (({ platformName }: { platformName: string }) => dist(platformName)) as never,
    },
  })
  const packedAt = (asar: string, program: string, target: string): Packed => ({
    asar: join(folder, asar, 'app.asar'),
    program: join(folder, program),
    target,
  })
  const macApp = 'mac-arm64/Switchboard.app'
  return {
    linux: packedAt('linux-unpacked/resources', 'linux-unpacked/switchboard', 'linux-x64'),
    win32: packedAt('win-unpacked/resources', 'win-unpacked/Switchboard.exe', 'win32-x64'),
    darwin: packedAt(`${macApp}/Contents/Resources`, macApp, 'darwin-arm64'),
  }
}
