"""The network under the name by which the SCP's host knows it."""

from tsvc.gateways._links import LinkConfig as LinkConfig
from tsvc.gateways._links import NodeConfig as NodeConfig
from tsvc.gateways._network import SigtranNetwork

M3uaNetwork = SigtranNetwork
