import LogFormat
import Testing
